begin;
\ir ../builders.sql
select plan(1);

select build.running_fixture();
select build.plays('final', '[["goal", {"side": "home", "minute": 5}], ["var", {"stage": "check", "play": 3}]]');
update sport.play set input = '{"stage": "changed", "play": 3, "void": true}' where code = 'var';
select is(build.verified(), 'play 4 is refused in a replay: It takes out a play that it had not taken out.', 'a decision that takes out what still counts');

select * from finish();
rollback;
