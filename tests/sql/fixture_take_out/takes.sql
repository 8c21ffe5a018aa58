begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.plays('final', '[["goal", {"side": "home", "minute": 5}], ["goal", {"side": "away", "minute": 7}]]');
select is((select state -> 'score' from sport.fixture_take_out(build.subject('fixture', 'final'), 'football', '{}', 3)), '{"home": 0, "away": 1}', 'without the first');
select is((select cancelled ->> 'play' from sport.fixture_take_out(build.subject('fixture', 'final'), 'football', '{}', 3)), '3', 'which is named');
select throws_ok($$select sport.fixture_take_out(build.subject('fixture', 'final'), 'football', '{}', 1)$$, 'UM001', null, 'no play has this number');

select * from finish();
rollback;
