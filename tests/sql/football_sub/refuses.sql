begin;
\ir ../builders.sql
select plan(13);

select build.fixture('final', '{"subs": 3}');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Bea", "minute": 1}'), 'refused not_started', 'football.sub refuses not_started');
select build.plays('final', '[["period_start", {"period": "H1"}], ["card", {"side": "home", "person": "Red", "card": "red", "minute": 1}]]');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Bea", "minute": 46}'), 'refused wrong_minute', 'football.sub refuses wrong_minute');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Ann", "minute": 5}'), 'refused same_person', 'football.sub refuses same_person');
select is(build.play('sub', '{"side": "home", "off": "Red", "on": "Ann", "minute": 5}'), 'refused sent_off', 'football.sub refuses sent_off');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Red", "minute": 5}'), 'refused sent_off', 'nor does he come back');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Bea", "minute": 5}'), 'accepted', 'without a line-up');
select is(build.play('sub', '{"side": "home", "off": "Ann", "on": "Cleo", "minute": 5}'), 'refused not_on_pitch', 'football.sub refuses not_on_pitch: went off');
select is(build.play('sub', '{"side": "home", "off": "Bea", "on": "Ann", "minute": 5}'), 'refused already_used', 'football.sub refuses already_used: nobody comes back');
select is(build.play('sub', '{"side": "away", "off": "Bea", "on": "Ann", "minute": 5}'), 'accepted', 'namesakes of the other side');
select build.lined_up('semi');
select is(build.play('sub', '{"side": "home", "off": "A12", "on": "A13", "minute": 5}', 'semi'), 'refused not_on_pitch', 'not from the bench');
select is(build.play('sub', '{"side": "home", "off": "A1", "on": "ACoach", "minute": 5}', 'semi'), 'refused not_on_bench', 'football.sub refuses not_on_bench');
select build.plays('semi', '[["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["sub", {"side": "home", "off": "A1", "on": "A12", "minute": 46}], ["period_end", {"period": "H2"}]]');
select is(build.play('sub', '{"side": "home", "off": "A2", "on": "A13", "minute": 90}', 'semi'), 'refused finished', 'football.sub refuses finished');
select is(build.verified('semi'), null, 'a replay gives the same');

select * from finish();
rollback;
