begin;
\ir ../builders.sql
select plan(20);

-- SP-03: a goal that is taken out is an event of its own.
select build.running_fixture();
select build.plays('final', '[["goal", {"side": "home", "minute": 5, "scorer": "Ann"}], ["goal", {"side": "away", "minute": 7}], ["var", {"stage": "check", "play": 3}]]');
select is(build.state() -> 'review', '{"stage": "check", "play": 3}', 'the review is open');
select is(build.play('var', '{"stage": "field", "play": 3}'), 'accepted', 'the referee looks himself');
create temp table said as select * from build.command('football.var', 'final', '{"stage": "changed", "play": 3, "void": true, "reason": "Offside."}', build.saw());
select is((select outcome from said), 'accepted', 'taken out');
select is((select body -> 'result' -> 'cancelled' from said), '{"play": 3, "code": "goal", "input": {"side": "home", "minute": 5, "scorer": "Ann"}}', 'the answer says what was cancelled');
select is((select body from road.note order by id desc limit 1), (select body -> 'result' from said), 'the note says the same to everybody');
select is((select count(*) from road.log where seq = (select seq from said) and code = 'var'), 1::bigint, 'one log row');
select is((select body #> '{result,before}' from said), '{"home": 1, "away": 1}', 'the score before');
select is(build.state() -> 'score', '{"home": 0, "away": 1}', 'and after');
select is(build.state() - 'people' - 'periods' - 'settings', '{"score": {"home": 0, "away": 1}, "period": "H1", "status": "running", "running": true}', 'no review is open any more');
select is((select voided_by from sport.play where seq = 3), (select seq from said), 'the play says who took it out');
select is(build.verified(), null, 'score = replay');
select is(build.play('var', '{"stage": "changed", "play": 3, "void": true}'), 'refused no_such_play', 'not twice');
select is(build.edited('fixture.play_correct', jsonb_build_object('play', (select seq from said), 'changes', '{"minute": 6}'::jsonb, 'reason', 'x')), 'refused not_correctable', 'fixture.play_correct refuses not_correctable');
select is(build.edited('fixture.play_void', jsonb_build_object('play', (select seq from said), 'reason', 'x')), 'accepted', 'the decision is undone');
select is(build.state() -> 'score', '{"home": 1, "away": 1}', 'the goal stands again');
select is(build.verified(), null, 'score = replay');
select is(build.play('var', '{"stage": "changed", "add": {"code": "goal", "input": {"side": "home", "minute": 9, "kind": "penalty"}}}'), 'accepted', 'a goal that is given');
select is(build.state() -> 'score', '{"home": 2, "away": 1}', 'counts');
select build.plays('final', '[["period_end", {"period": "H1"}], ["var", {"stage": "changed", "play": 3, "void": true}]]');
select is(build.state() -> 'score', '{"home": 1, "away": 1}', 'taken out after half-time');
select is(build.state() #> '{periods,H1}', '{"home": 1, "away": 1}', 'also of the half-time score');

select * from finish();
rollback;
