begin;
\ir ../builders.sql
select plan(3);

select build.plays(build.running_fixture('final', '{"extra_time": true, "shootout": true}'),
    '[["goal", {"side": "home", "minute": 5}], ["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
select is(build.play('period_start', '{"period": "ET1"}'), 'refused not_level', 'football.period_start refuses not_level');
select is(build.play('period_start', '{"period": "H1"}'), 'refused finished', 'football.period_start refuses finished');
select is(build.play('period_start', '{"period": "H2"}'), 'refused finished', 'H2 again');

select * from finish();
rollback;
