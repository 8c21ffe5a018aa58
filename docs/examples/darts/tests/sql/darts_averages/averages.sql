begin;
\ir ../builders.sql
select plan(3);

select build.fixture(p_sport => 'darts');
select is(road.read('fixture', 'final', 'darts_averages') -> 'data', '{"home": null, "away": null}', 'nobody has thrown');
select build.command('darts.throw_off', 'final', '{"side": "home"}', '{"play": null}');
select build.command('darts.visit', 'final', '{"side": "home", "darts": ["T20", "T20", "S5"]}', build.saw());
select is(road.read('fixture', 'final', 'darts_averages') -> 'data', '{"home": 125.00, "away": null}', 'three darts, 125');
select build.fixture('match');
select is(road.read('fixture', 'match', 'darts_averages') -> 'data', 'null', 'a football fixture has none');

select * from finish();
rollback;
