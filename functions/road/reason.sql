-- The member `reason` of an answer.
create or replace function road.reason(p_code text, p_message text, p_detail jsonb default '{}')
returns jsonb
language sql
immutable
as $$
    select pg_catalog.jsonb_build_object('reason', pg_catalog.jsonb_build_object('code', p_code, 'message', p_message, 'detail', p_detail))
$$;
comment on function road.reason(text, text, jsonb) is 'An answer''s reason: code for programs, message for people, detail as a JSON object.';
