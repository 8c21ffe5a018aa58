-- The log number that a subject of the command gets if the command is accepted: what a handler writes as changed_seq.
create or replace function road.seq_of(cmd road.call, p_subject_id uuid)
returns bigint
language sql
immutable
as $$
    select case
        when p_subject_id = (cmd).subject_id then (cmd).seq
        else (cmd).further_seq[pg_catalog.array_position((cmd).further, p_subject_id)]
    end
$$;
comment on function road.seq_of(road.call, uuid) is 'Next log number of the command''s own subject or of a further one it locked; null when it holds no lock on it.';
