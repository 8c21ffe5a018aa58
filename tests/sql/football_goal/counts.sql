begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select is(build.play('goal', '{"side": "home", "minute": 1}'), 'accepted', 'minute 1, scorer unknown');
select is(build.play('goal', '{"side": "away", "minute": 45, "added": 9, "scorer": "Bea", "assist": "Cleo"}'), 'accepted', '45+9');
select is(build.play('goal', '{"side": "home", "minute": 30, "kind": "own", "scorer": "Bea"}'), 'accepted', 'an own goal, entered late');
select is(build.play('goal', '{"side": "away", "minute": 45, "kind": "penalty", "scorer": "Bea"}'), 'accepted', 'a penalty');
select is(build.state() -> 'score', '{"home": 2, "away": 2}', 'each for the side that is named');
select is(sport.fixture_verify(build.subject('fixture', 'final')), null, 'SP-03: score = replay');

select * from finish();
rollback;
