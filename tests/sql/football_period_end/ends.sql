begin;
\ir ../builders.sql
select plan(7);

select build.fixture();
select is(build.play('period_end', '{"period": "H1"}'), 'refused not_running', 'football.period_end refuses not_running: nothing runs');
select build.plays('final', '[["period_start", {"period": "H1"}], ["goal", {"side": "home", "minute": 45, "added": 2}]]');
select is(build.play('period_end', '{"period": "H2"}'), 'refused not_running', 'another one runs');
select is(build.play('period_end', '{"period": "H1", "added": 3}'), 'accepted', 'the one that runs');
select is((build.state() ->> 'running') || ' ' || (build.state() ->> 'status'), 'false running', 'half-time: the match goes on');
select is(build.state() #> '{periods,H1}', '{"home": 1, "away": 0}', 'the score at half-time');
select is(build.play('period_end', '{"period": "H1"}'), 'refused not_running', 'twice');
select build.plays('final', '[["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
select is((select status from sport.fixture_status), 'finished', 'not level after H2: finished');

select * from finish();
rollback;
