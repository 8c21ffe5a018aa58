-- Locks several subjects in the one order that everybody keeps (C-032): by rank of the kind, then by id. A command that
-- waits for its second lock already holds an xid and so holds back every reader of every subject: it waits for 200 ms
-- at the most, and the server tries again.
create or replace function road.lock_subjects(p_ids uuid[])
returns table (subject_id uuid, last_seq bigint, last_play_seq bigint)
language plpgsql
volatile
set lock_timeout = '200ms'
as $$
begin
    return query
    select s.subject_id, s.last_seq, s.last_play_seq
    from road.subject s
    where s.subject_id = any (p_ids)
    order by s.lock_rank, s.subject_id
    for no key update of s;
end
$$;
comment on function road.lock_subjects(uuid[]) is 'Locks the subjects (twice the same is once) and returns their numbers; fewer rows than asked for = one does not exist. 55P03 after 200 ms.';
