begin;
\ir ../builders.sql
select plan(5);

select build.lined_up();
select build.plays('final', '[["sub", {"side": "home", "off": "A9", "on": "A12", "minute": 6}]]');
select is(build.play('card', '{"side": "home", "person": "B1", "card": "yellow", "minute": 7}'), 'refused not_in_squad', 'football.card refuses not_in_squad');
select is(build.play('card', '{"side": "home", "person": "A9", "card": "yellow", "minute": 7}'), 'accepted', 'who was substituted');
select is(build.play('card', '{"side": "home", "person": "A18", "card": "yellow", "minute": 7}'), 'accepted', 'the bench');
select is(build.play('card', '{"side": "home", "person": "ACoach", "card": "red", "minute": 7}'), 'accepted', 'staff');
select is(build.play('card', '{"side": "home", "person": "A1", "card": "yellow", "minute": 7}'), 'accepted', 'the pitch');

select * from finish();
rollback;
