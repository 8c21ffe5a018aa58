begin;
\ir ../builders.sql
select plan(3);

select build.event();
create temp table ids as select road.create_subjects('fixture', build.subject('event', 'cup'), array['b', 'a', 'b']) as ids;
select is((select cardinality(ids) from ids), 2, 'one for each different reference');
select is((select array_agg(s.ref order by u.nth) from ids, unnest(ids) with ordinality u (id, nth) join road.subject s on s.subject_id = u.id), array['a', 'b'], 'in the order of the references');
select is((select array_agg(distinct (s.last_seq, s.last_play_seq, s.lock_rank, s.parent_id = build.subject('event', 'cup'))::text) from road.subject s where s.kind = 'fixture'), array['(1,0,20,t)'], 'C-032: with number 1 taken, the kind''s rank and the parent');

select * from finish();
rollback;
