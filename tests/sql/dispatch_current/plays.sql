-- Every play has an arm that shows the plays which its sender has not seen.
begin;
\ir ../builders.sql
select plan(2 * count(*)::integer) from road.catalogue_command c where c.workflow = 'football' and c.current = 'sport.fixture_missed_plays';

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 3}');
select is(
    build.brief(build.command('football.' || c.code, 'final', c.example, build.saw() || '{"play": 2}')),
    'conflict version_moved', c.code || ' after the play before the last')
from road.catalogue_command c
where c.workflow = 'football' and c.current = 'sport.fixture_missed_plays'
order by c.code;
select is(
    (select array_agg(d.row_id)
     from road.dispatch_current(row (c.workflow, c.code, 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k', '{}'::jsonb, '{"play": 2}'::jsonb, null, null, 4, 3, '{}'::uuid[], '{}'::bigint[])::road.call) d),
    array['fixture/final/play/3'], c.code || ' is shown the last play, and only that')
from road.catalogue_command c
where c.workflow = 'football' and c.current = 'sport.fixture_missed_plays'
order by c.code;

select * from finish();
rollback;
