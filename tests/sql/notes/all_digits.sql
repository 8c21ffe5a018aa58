-- Sorting by the text of an xid would skip notes when the number gains a digit.
begin;
\ir ../builders.sql
select plan(1);

select build.fixture();
delete from road.note;
insert into road.note (xid, subject_id, seq, at, workflow, code, body)
select x::text::xid8, build.subject('fixture', 'final'), row_number() over (order by x), now(), 'w', 'c', '{}' from unnest(array[9, 10, 99, 100, 101]) x;
create function build.walk() returns bigint[] language plpgsql as $$
declare
    v_xid xid8 := '0';
    v_id bigint := 0;
    v_seqs bigint[] := '{}';
    v_note record;
begin
    loop
        select n.note_xid, n.note_id, n.seq into v_note from road.notes(v_xid, v_id, 1) n;
        exit when not found;
        v_xid := v_note.note_xid;
        v_id := v_note.note_id;
        v_seqs := v_seqs || v_note.seq;
    end loop;
    return v_seqs;
end
$$;
select is(build.walk(), array[1, 2, 3, 4, 5]::bigint[], 'Outbox order: page by page, nothing is skipped at 9, 10, 99, 100');

select * from finish();
rollback;
