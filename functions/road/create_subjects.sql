-- Inserts new subjects of one kind, in the order of their references, with log number 1 already taken: whoever creates a
-- subject writes its first log row in the same transaction. Runs inside the savepoint, with an xid: another command that
-- is creating the same reference is waited for as shortly as a second lock (road.lock_subjects).
-- The engine cannot enter the first note's xid afterwards (an update outside the savepoint would make a MultiXact): the
-- greatest there is says that any may come next.
-- refuses: exists, bad_reference
create or replace function road.create_subjects(p_kind text, p_parent_id uuid, p_refs text[])
returns uuid[]
language plpgsql
volatile
set lock_timeout = '200ms'
as $$
declare
    v_ids uuid[];
begin
    if exists (select from unnest(p_refs) u (ref) where not road.valid_ref(u.ref)) then
        perform road.refuse('bad_reference', 'A reference has 1 to 128 of A-Z a-z 0-9 . _ : - , begins with a letter or digit, and is not a uuid.');
    end if;

    with created as (
        insert into road.subject (kind, ref, parent_id, lock_rank, last_seq, last_xid)
        select k.kind, r.ref, p_parent_id, k.lock_rank, 1, '18446744073709551615'
        from road.kind k
        cross join (select distinct u.ref from unnest(p_refs) u (ref)) r
        where k.kind = p_kind
        order by r.ref
        on conflict (kind, ref) do nothing
        returning subject_id, ref
    )
    select array_agg(c.subject_id order by c.ref) into v_ids from created c;

    if cardinality(v_ids) is distinct from (select count(distinct u.ref) from unnest(p_refs) u (ref)) then
        perform road.refuse('exists', 'A subject of this kind already has this reference.', jsonb_build_object('kind', p_kind));
    end if;
    return v_ids;
end
$$;
comment on function road.create_subjects(text, uuid, text[]) is 'Creates the subjects and returns their ids in the order of the references; refused exists when one is taken, also by a command that was still under way. 55P03 when that one takes more than 200 ms.';
