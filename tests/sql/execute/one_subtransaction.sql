-- PL-01: one command, one subtransaction. What it wrote there has that one's xid, what the engine adds has the transaction's.
begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.play('card', '{"side": "home", "minute": 5, "person": "Ann", "card": "yellow"}');
create temp table last as select build.subject('fixture', 'final') as fixture_id, last_seq from road.subject where ref = 'final';

select is((
    select count(distinct w.xmin::text) from (
        select l.xmin from road.log l join last on l.subject_id = last.fixture_id and l.seq = last.last_seq
        union all select p.xmin from sport.play p join last on p.fixture_id = last.fixture_id and p.seq = last.last_seq
        union all select c.xmin from sport.fixture_score c join last using (fixture_id)
    ) w), 1::bigint, 'PL-01: log, play and score were written in one subtransaction');
select isnt((select l.xmin::text from road.log l join last on l.subject_id = last.fixture_id and l.seq = last.last_seq),
    (pg_current_xact_id()::text::bigint & x'ffffffff'::bigint)::text, 'which is not the transaction itself');
select is((
    select count(distinct w.xmin::text) from (
        select s.xmin from road.subject s where s.ref = 'final'
        union all select n.xmin from road.note n join last on n.subject_id = last.fixture_id and n.seq = last.last_seq
        union all select k.xmin from road.command k join last on k.subject_id = last.fixture_id and k.seq = last.last_seq
    ) w where w.xmin::text = (pg_current_xact_id()::text::bigint & x'ffffffff'::bigint)::text), 1::bigint,
    'the subject, the note and the command row are written outside the savepoint');
select is((select min(n.xid::text::bigint) from road.note n join last on n.subject_id = last.fixture_id and n.seq = last.last_seq) & x'ffffffff'::bigint,
    (select l.xmin::text::bigint from road.log l join last on l.subject_id = last.fixture_id and l.seq = last.last_seq),
    'Outbox order: the note says the savepoint''s xid');

select * from finish();
rollback;
