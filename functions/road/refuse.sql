-- A rule's no. SQLSTATE UM001 is the only error that the road's savepoint catches: what is raised here is saved as the
-- command's answer. The code travels as the error's constraint name, the detail as JSON text.
-- Declared immutable so that rules, which are pure, may say no.
create or replace function road.refuse(p_code text, p_message text, p_detail jsonb default '{}')
returns void
language plpgsql
immutable
as $$
begin
    raise exception using
        errcode = 'UM001',
        constraint = p_code,
        message = p_message,
        detail = coalesce(p_detail, '{}')::text;
end
$$;
comment on function road.refuse(text, text, jsonb) is 'Refuses the command that is under way: code as the catalogue lists it, a sentence for people, a JSON object for programs. Raises UM001.';
