begin;
\ir ../builders.sql
select plan(13);

select build.fixture('final', '{"extra_time": true, "shootout": true}');
select is(build.play('period_start', '{"period": "H2"}'), 'refused period_order', 'football.period_start refuses period_order: H2 first');
select is(build.play('period_start', '{"period": "PSO"}'), 'refused period_order', 'PSO first');
select is(build.play('period_start', '{"period": "H1"}'), 'accepted', 'H1');
select is((build.state() - 'settings'), '{"status": "running", "running": true, "period": "H1", "score": {"home": 0, "away": 0}, "periods": {}, "people": {}}', 'the state it begins with');
select is(build.play('period_start', '{"period": "H1"}'), 'refused already_running', 'football.period_start refuses already_running');
select is(build.play('period_start', '{"period": "H2"}'), 'refused already_running', 'also the next one');
select build.plays('final', '[["period_end", {"period": "H1"}]]');
select is(build.play('period_start', '{"period": "H1"}'), 'refused period_order', 'H1 twice');
select is(build.play('period_start', '{"period": "ET1"}'), 'refused period_order', 'H2 left out');
select build.plays('final', '[["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
select is(build.play('period_start', '{"period": "PSO"}'), 'refused period_order', 'a shoot-out before the extra time of the settings');
select is(build.play('period_start', '{"period": "ET2"}'), 'refused period_order', 'ET1 left out');
select is(build.play('period_start', '{"period": "ET1"}'), 'accepted', 'ET1');
select build.plays('final', '[["period_end", {"period": "ET1"}], ["period_start", {"period": "ET2"}], ["period_end", {"period": "ET2"}]]');
select is(build.play('period_start', '{"period": "PSO"}'), 'accepted', 'PSO');
select is(build.state() -> 'shootout', '{"home": {"taken": 0, "scored": 0, "takers": []}, "away": {"taken": 0, "scored": 0, "takers": []}}', 'with nothing kicked');

select * from finish();
rollback;
