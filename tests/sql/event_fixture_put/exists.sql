-- Two events create one reference at the same moment; here the lock function looks a moment too early.
begin;
\ir ../builders.sql
select plan(2);

select build.fixture('final', p_event => 'other');
select build.event();
create or replace function sport.event_fixture_put_locks(cmd road.call) returns road.lock_request language sql volatile as
$$select row ('{}'::uuid[], 'fixture', array[cmd.input ->> 'fixture'])::road.lock_request$$;
select is(build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/final/schedule": null}}')), 'refused exists', 'event.fixture_put refuses exists');
select is((select parent_id from road.subject where ref = 'final'), build.subject('event', 'other'), 'the fixture stays where it was');

select * from finish();
rollback;
