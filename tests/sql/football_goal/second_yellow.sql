begin;
\ir ../builders.sql
select plan(2);

select build.plays(build.running_fixture(), '[["card", {"side": "home", "person": "Ann", "card": "yellow", "minute": 2}]]');
select is(build.play('goal', '{"side": "home", "minute": 5, "scorer": "Ann"}'), 'accepted', 'a booked player may score');
select build.plays('final', '[["card", {"side": "home", "person": "Ann", "card": "second", "minute": 6}]]');
select is(build.play('goal', '{"side": "home", "minute": 7, "scorer": "Ann"}'), 'refused sent_off', 'after the second yellow no more');

select * from finish();
rollback;
