begin;
\ir ../builders.sql
select plan(5);

select build.fixture();
select is(road.revision(build.subject('fixture', 'final'), 3), road.revision(build.subject('fixture', 'final'), 3), 'the same state, the same revision');
select isnt(road.revision(build.subject('fixture', 'final'), 3), road.revision(build.subject('fixture', 'final'), 4), 'another one after every change');
select isnt(road.revision(build.subject('fixture', 'final'), 3), road.revision(gen_random_uuid(), 3), 'another one for another subject');
select matches(road.revision(build.subject('fixture', 'final'), 3), '^[0-9a-f]{32}$', 'opaque');
select is(road.read('fixture', 'final') ->> 'revision',
    (select road.revision(s.subject_id, s.last_seq) from road.subject s where s.kind = 'fixture'), 'a read says which it is of');

select * from finish();
rollback;
