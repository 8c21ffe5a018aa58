begin;
\ir ../builders.sql
select plan(7);

select build.event();
create temp table said as select * from build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/final/schedule": null}}', p_key => 'put');

select is((select count(*) from road.log where command_id = 'put'), 2::bigint, 'one log row for each subject it changed');
select is((select count(*) from road.note n join road.subject s using (subject_id) where s.ref in ('cup', 'final') and n.code = 'fixture_put'), 2::bigint, 'C-114: and one note');
select is((select count(distinct n.xid) from road.note n where n.code = 'fixture_put'), 1::bigint, 'under one xid');
select is((select parent_id from road.subject where ref = 'final'), build.subject('event', 'cup'), 'the child remembers its parent');
select is((select (last_seq, lock_rank)::text from road.subject where ref = 'final'), '(1,20)', 'and has its first number');
select is((select subject_id from road.command where command_id = 'put'), build.subject('event', 'cup'), 'the command belongs to the subject in the path');
select is_empty('select * from road.invariants()', 'every invariant holds');

select * from finish();
rollback;
