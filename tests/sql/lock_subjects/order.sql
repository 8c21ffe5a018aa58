begin;
\ir ../builders.sql
select plan(6);

select build.fixture('b');
select build.fixture('a');
create temp table got as select row_number() over () as nth, l.subject_id, l.last_seq, l.last_play_seq
from road.lock_subjects(array[build.subject('fixture', 'a'), build.subject('fixture', 'b'), build.subject('event', 'cup'), build.subject('fixture', 'a')]) l;
select is((select count(*) from got), 3::bigint, 'SP-10: twice the same is once');
select is((select subject_id from got where nth = 1), build.subject('event', 'cup'), 'C-032: the event first');
select ok((select a.subject_id < b.subject_id from got a, got b where a.nth = 2 and b.nth = 3), 'C-032: then the fixtures by id');
select is((select (last_seq, last_play_seq)::text from got where nth = 1), '(3,0)', 'C-011: with their numbers');
select is((select count(*) from road.lock_subjects(array['00000000-0000-4000-8000-000000000000']::uuid[])), 0::bigint, 'fewer rows than asked for: it does not exist');
select is((select proconfig from pg_proc where oid = 'road.lock_subjects(uuid[])'::regprocedure), array['lock_timeout=200ms'], 'several subjects are never waited for long');

select * from finish();
rollback;
