begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
create function build.current(p_fixture text, p_further uuid[]) returns road.current_row language sql as $$
    select c from sport.event_fixture_put_current(row ('event', 'fixture_put', 'event', 'cup', build.subject('event', 'cup'), null, 'tester', '', 'k',
        jsonb_build_object('fixture', p_fixture), null, null, null, 2, 0, p_further, '{}'::bigint[])::road.call) c
$$;
select is((build.current('final', array[build.subject('fixture', 'final')])).changed_seq, 1::bigint, 'the version of the schedule row');
select is((build.current('final', array[build.subject('fixture', 'final')])).value ->> 'home', 'Reds', 'and what a screen shows of it');
select is(build.current('new', '{}'), row ('fixture/new/schedule', null, null)::road.current_row, 'one that is not there yet has its name and no version');

select * from finish();
rollback;
