-- Something that a sender may state as a version: a log number, or null for "I saw none".
create or replace function road.valid_version(p_version jsonb)
returns boolean
language sql
immutable
as $$
    select jsonb_typeof(p_version) = 'null' or (jsonb_typeof(p_version) = 'number' and p_version::text ~ '^[0-9]{1,18}$')
$$;
comment on function road.valid_version(jsonb) is 'True for a JSON null and for a whole number from 0 to 18 digits.';
