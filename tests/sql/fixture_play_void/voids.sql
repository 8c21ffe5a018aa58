begin;
\ir ../builders.sql
select plan(16);

select build.running_fixture();
select build.plays('final', '[["goal", {"side": "home", "minute": 5, "scorer": "Ann"}], ["goal", {"side": "away", "minute": 7}], ["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
create temp table before as select build.state() as state;
create temp table said as select * from build.edit('fixture.play_void', '{"play": 3, "reason": "Entered twice."}');
select is((select outcome from said), 'accepted', 'taken out');
select is((select body -> 'result' -> 'cancelled' from said), '{"play": 3, "code": "goal", "input": {"side": "home", "minute": 5, "scorer": "Ann"}}', 'the answer says what');
select is((select body from road.note order by id desc limit 1), (select (body -> 'result') - 'rows' from said), 'the note says the same to everybody');
select is(build.state() -> 'score', '{"home": 0, "away": 1}', 'the score without it');
select is(build.state() #> '{periods,H1}', '{"home": 0, "away": 1}', 'at half-time too');
select is(build.verified(), null, 'the state is a replay of what is left');
select is((select last_play_seq from road.subject where ref = 'final'), 7::bigint, 'who saw the last play still did');
select is((select row(changed_seq, voided_by)::text from sport.play where seq = 4), '(4,)', 'no other play was touched');
select is(build.edited('fixture.play_void', '{"play": 3, "reason": "x"}'), 'refused already_void', 'fixture.play_void refuses already_void');
select is(build.edited('fixture.play_void', '{"play": 1, "reason": "x"}'), 'refused no_such_play', 'fixture.play_void refuses no_such_play');
select is(build.edited('fixture.play_void', '{"play": 2, "reason": "x"}'), 'refused illegal_play', 'fixture.play_void refuses illegal_play');
select is(build.brief(build.command('fixture.play_void', 'final', '{"play": 4, "reason": "x"}', '{"rows": {"fixture/final/play/4": 3}}')), 'conflict version_moved', 'an undo that saw another version');
select is(build.edited('fixture.play_void', '{"play": 7, "reason": "Not over."}'), 'accepted', 'the end is undone');
select is((select status from sport.fixture_status), 'running', 'the match goes on');
select build.plays('final', '[["period_end", {"period": "H2"}]]');
select build.edited('fixture.result_status', '{"to": "official"}');
select is(build.edited('fixture.play_void', '{"play": 4, "reason": "x"}'), 'refused official', 'fixture.play_void refuses official');
select build.edited('fixture.result_status', '{"to": "protested", "note": "Offside."}');
select is(build.edited('fixture.play_void', '{"play": 4, "reason": "x"}'), 'accepted', 'protested first');

select * from finish();
rollback;
