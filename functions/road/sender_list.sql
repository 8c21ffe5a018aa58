create or replace function road.sender_list()
returns table (
    sender text, workflows text[], events text[], may_act boolean, may_read_log boolean,
    created_at timestamptz, old_token_until timestamptz, disabled_at timestamptz)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select d.sender, d.workflows, d.events, d.may_act, d.may_read_log, d.created_at, d.old_token_until, d.disabled_at
    from road.sender d
    order by d.sender
$$;
comment on function road.sender_list() is 'All senders with their scopes, without any trace of their tokens.';
