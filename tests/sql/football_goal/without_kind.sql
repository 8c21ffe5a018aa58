-- kind may be left out: it is a goal then, of a player of the side that it counts for.
begin;
\ir ../builders.sql
select plan(5);

select build.running_fixture();
select build.plays('final', '[["card", {"side": "away", "person": "Bo", "card": "red", "minute": 2}], ["card", {"side": "home", "person": "Al", "card": "red", "minute": 2}]]');
select is(build.play('goal', '{"side": "away", "minute": 5, "scorer": "Bo"}'), 'refused sent_off', 'away, sent off');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "Al"}'), 'refused sent_off', 'home, sent off');
select is(build.play('goal', '{"side": "away", "minute": 5, "scorer": "Al"}'), 'accepted', 'away, namesake of a home player who was sent off');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "Bo"}'), 'accepted', 'home, namesake of an away player who was sent off');
select is(build.play('goal', '{"side": "home", "minute": 5, "assist": "Al"}'), 'accepted', 'scorer unknown, assist known');

select * from finish();
rollback;
