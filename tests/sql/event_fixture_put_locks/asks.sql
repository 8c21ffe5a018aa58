begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
create function build.asks(p_fixture text) returns road.lock_request language sql as $$
    select sport.event_fixture_put_locks(row ('event', 'fixture_put', 'event', 'cup', build.subject('event', 'cup'), null, 'tester', '', 'k',
        jsonb_build_object('fixture', p_fixture), null, null, null, 2, 0, '{}'::uuid[], '{}'::bigint[])::road.call)
$$;
select is(build.asks('final'), row (array[build.subject('fixture', 'final')], null, '{}'::text[])::road.lock_request, 'a fixture that is there is locked');
select is(build.asks('new'), row ('{}'::uuid[], 'fixture', array['new'])::road.lock_request, 'one that is not is created');
select is(build.asks('cup'), row ('{}'::uuid[], 'fixture', array['cup'])::road.lock_request, 'a reference of another kind is free');

select * from finish();
rollback;
