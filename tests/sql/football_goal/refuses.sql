begin;
\ir ../builders.sql
select plan(10);

select build.fixture('final', '{"shootout": true}');
select is(build.play('goal', '{"side": "home", "minute": 1}'), 'refused not_running', 'football.goal refuses not_running: not started');
select build.plays('final', '[["period_start", {"period": "H1"}], ["card", {"side": "home", "person": "Ann", "card": "red", "minute": 2}]]');
select is(build.play('goal', '{"side": "home", "minute": 46}'), 'refused wrong_minute', 'football.goal refuses wrong_minute');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "Bea", "assist": "Bea"}'), 'refused same_person', 'football.goal refuses same_person');
select is(build.play('goal', '{"side": "home", "minute": 5, "kind": "own", "assist": "Bea"}'), 'refused no_assist', 'football.goal refuses no_assist');
select is(build.play('goal', '{"side": "home", "minute": 5, "kind": "goal", "scorer": "Ann"}'), 'refused sent_off', 'football.goal refuses sent_off');
select is(build.play('goal', '{"side": "away", "minute": 5, "kind": "own", "scorer": "Ann"}'), 'refused sent_off', 'also an own goal, which counts for the other side');
select is(build.play('goal', '{"side": "away", "minute": 5, "kind": "goal", "scorer": "Ann"}'), 'accepted', 'a namesake on the other side may');
select is(build.play('goal', '{"side": "home", "minute": 5, "kind": "own", "scorer": "Ann"}'), 'accepted', 'and may put one into the own net');
select build.plays('final', '[["period_end", {"period": "H1"}]]');
select is(build.play('goal', '{"side": "home", "minute": 45}'), 'refused not_running', 'not at half-time');
select build.plays('final', '[["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}], ["period_start", {"period": "PSO"}]]');
select is(build.play('goal', '{"side": "home", "minute": 90}'), 'refused in_shootout', 'football.goal refuses in_shootout');

select * from finish();
rollback;
