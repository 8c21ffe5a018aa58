-- What a correction leaves of a play must still fit the command's input schema. The server checks whole inputs; here the
-- keywords that plays use are enough: type, enum, minimum, maximum, minLength, maxLength, required, no other members.
create or replace function sport.unfit_member(p_schema jsonb, p_input jsonb)
returns text
language sql
immutable
as $$
    select m.name
    from (
        select i.key as name, p_schema -> 'properties' -> i.key as says, i.value
        from jsonb_each(p_input) i
        union all
        select r, p_schema -> 'properties' -> r, null
        from jsonb_array_elements_text(p_schema -> 'required') r
        where not p_input ? r
    ) m
    where not coalesce(
        case
            when m.says -> 'enum' is not null then m.says -> 'enum' @> jsonb_build_array(m.value)
            when m.says ->> 'type' = 'boolean' then jsonb_typeof(m.value) = 'boolean'
            when m.says ->> 'type' = 'string' then jsonb_typeof(m.value) = 'string'
                and length(m.value #>> '{}') between coalesce((m.says ->> 'minLength')::integer, 0) and coalesce((m.says ->> 'maxLength')::integer, 10000)
            when m.says ->> 'type' = 'integer' and jsonb_typeof(m.value) = 'number' and m.value #>> '{}' ~ '^-?[0-9]{1,9}$' then
                (m.value #>> '{}')::integer between coalesce((m.says ->> 'minimum')::integer, -999999999) and coalesce((m.says ->> 'maximum')::integer, 999999999)
        end, false)
    order by m.name
    limit 1
$$;
comment on function sport.unfit_member(jsonb, jsonb) is 'The first member of an input that does not fit the schema, or that is missing; null when all fit.';
