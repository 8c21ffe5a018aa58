begin;
\ir ../builders.sql
select plan(7);

select build.lined_up();
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "A12"}'), 'refused not_on_pitch', 'football.goal refuses not_on_pitch: the bench');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "B9"}'), 'refused not_on_pitch', 'a player of the other side');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "A9", "assist": "A12"}'), 'refused not_on_pitch', 'an assist from the bench');
select is(build.play('goal', '{"side": "home", "minute": 5, "kind": "own", "scorer": "A9"}'), 'refused not_on_pitch', 'an own goal of the side that it counts for');
select is(build.play('goal', '{"side": "home", "minute": 5, "kind": "own", "scorer": "B9"}'), 'accepted', 'an own goal');
select build.plays('final', '[["sub", {"side": "home", "off": "A9", "on": "A12", "minute": 6}]]');
select is(build.play('goal', '{"side": "home", "minute": 7, "scorer": "A9"}'), 'refused not_on_pitch', 'who went off');
select is(build.play('goal', '{"side": "home", "minute": 7, "scorer": "A12"}'), 'accepted', 'who came on');

select * from finish();
rollback;
