begin;
\ir ../builders.sql
select plan(6);

select build.fixture();

select is(build.brief(build.command('fixture.note', 'nowhere', '{"text": "x"}')), 'refused subject_not_found', 'a reference that nobody created');
select is(build.brief(build.command('fixture.note', '00000000-0000-4000-8000-000000000000', '{"text": "x"}')), 'refused subject_not_found', 'a uuid that nobody has');
select is(build.brief(build.command('fixture.note', build.subject('event', 'cup')::text, '{"text": "x"}')), 'refused subject_not_found', 'a uuid of another kind');
select is(build.brief(build.command('fixture.note', 'cup', '{"text": "x"}')), 'refused subject_not_found', 'a reference of another kind');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'it is not stored: the subject may yet be created');

-- a lock function that names a subject which does not exist
create or replace function sport.event_fixture_put_locks(cmd road.call) returns road.lock_request language sql as
$$select row (array['00000000-0000-4000-8000-000000000000']::uuid[], null, '{}'::text[])::road.lock_request$$;
select is(build.put(), 'refused subject_not_found', 'C-011: fewer rows locked than asked for');

select * from finish();
rollback;
