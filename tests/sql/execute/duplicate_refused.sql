-- A refusal is remembered like an acceptance: a retry gets the same answer although by now it would be accepted.
begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
create temp table first as select * from build.command('football.goal', 'final', '{"side": "home", "minute": 1}', '{"play": null}', p_key => 'g');
select build.plays('final', '[["period_start", {"period": "H1"}]]');
create temp table again as select * from build.command('football.goal', 'final', '{"side": "home", "minute": 1}', '{"play": 2}', p_key => 'g');

select is((select build.brief((outcome, reason, seq, body)) from first), 'refused not_running', 'first: a rule''s no');
select is((select outcome from again), 'duplicate', 'C-055: then its duplicate');
select is((select body -> 'first' from again), (select body from first), 'C-055: with the same no');
select is((select state -> 'score' from build.state() state), '{"home": 0, "away": 0}', 'and no goal');

select * from finish();
rollback;
