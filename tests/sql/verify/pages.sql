begin;
\ir ../builders.sql
select plan(7);

select build.running_fixture('a');
select build.running_fixture('b');
select is((select count(*) from road.verify()), (select count(*) from road.subject), 'every subject, one row each');
select is((select count(*) from road.verify() v where v.problem is not null), 0::bigint, 'all is well');
select is((select array_agg(v.subject_id order by v.subject_id) from (select * from road.verify(p_max_items => 2)) f, lateral (select f.subject_id) v),
    (select array_agg(s.subject_id) from (select subject_id from road.subject order by subject_id limit 2) s), 'in pages by id');
select is((select count(*) from road.verify((select max(v.subject_id::text)::uuid from road.verify(p_max_items => 2) v))), 1::bigint, 'which go on after the last');
update sport.fixture_score set state = state || '{"status": "finished"}' where fixture_id = build.subject('fixture', 'a');
update road.subject set last_seq = last_seq + 1 where ref = 'b';
select matches((select v.problem from road.verify() v where v.ref = 'a'), '^shown ', 'a score that the plays do not fold to');
select is((select v.problem from road.verify() v where v.ref = 'b'), 'last_seq 3, but 2 log rows up to 2', 'a log with a gap');
select is((select v.problem from road.verify() v where v.ref = 'cup'), null, 'the others are well');

select * from finish();
rollback;
