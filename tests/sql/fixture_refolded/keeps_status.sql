begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.plays('final', '[["goal", {"side": "home", "minute": 5}]]');
select build.edited('fixture.status_set', '{"status": "suspended"}');
select is(build.edited('fixture.play_void', '{"play": 3, "reason": "x"}'), 'accepted', 'a correction while play is suspended');
select is((select status from sport.fixture_status), 'suspended', 'leaves it suspended');
select build.edited('fixture.play_void', '{"play": 2, "reason": "x"}');
select is((select status from sport.fixture_status), 'scheduled', 'unless the plays say something else than before: nothing has begun');

select * from finish();
rollback;
