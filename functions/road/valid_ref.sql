-- A reference that a subject may be created under. A uuid is not one: in a path it would be taken for the subject's id.
create or replace function road.valid_ref(p_ref text)
returns boolean
language sql
immutable
as $$
    select p_ref ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'
        and p_ref !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
$$;
comment on function road.valid_ref(text) is 'True for 1 to 128 of A-Z a-z 0-9 . _ : - that begin with a letter or digit and are not a uuid.';
