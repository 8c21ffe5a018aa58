-- The subject as a whole, at one log number, as a value that says nothing else: clients keep it as an ETag and give it back.
create or replace function road.revision(p_subject_id uuid, p_seq bigint)
returns text
language sql
immutable
as $$
    select left(encode(sha256(convert_to(p_subject_id::text || '/' || p_seq, 'UTF8')), 'hex'), 32)
$$;
comment on function road.revision(uuid, bigint) is 'The opaque revision of a subject whose last log number is p_seq: another one after every change.';
