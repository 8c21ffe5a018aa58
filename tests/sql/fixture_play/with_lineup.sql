begin;
\ir ../builders.sql
select plan(4);

select build.lined_up();
select is(build.state() ? 'lineup', false, 'the line-up is no part of the state');
select build.play('goal', '{"side": "home", "minute": 5, "scorer": "A9", "assist": "A10"}');
select is(build.state() ? 'lineup', false, 'also not after a goal');
select is(build.state() -> 'score', '{"home": 1, "away": 0}', 'which counts');
select is(build.verified(), null, 'and is what a replay gives');

select * from finish();
rollback;
