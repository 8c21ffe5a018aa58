begin;
\ir ../builders.sql
select plan(17);

select build.running_fixture();
select build.plays('final', '[["card", {"side": "home", "person": "Bea", "card": "red", "minute": 2}], ["goal", {"side": "home", "minute": 5, "scorer": "Ann", "assist": "Cleo"}], ["goal", {"side": "away", "minute": 7}]]');
create temp table said as select * from build.edit('fixture.play_correct', '{"play": 4, "changes": {"minute": 6, "scorer": "Dora", "assist": null}, "reason": "Last touch."}');
select is((select outcome from said), 'accepted', 'SP-02: a correction of minute and scorer');
select is((select input from sport.play where seq = 4), '{"side": "home", "minute": 6, "scorer": "Dora"}', 'is one of the same play; null takes a member away');
select is((select changed_seq from sport.play where seq = 4), (select seq from said), 'whose version is new');
select is(build.state() -> 'score', '{"home": 1, "away": 1}', 'and no second goal');
select is((select body #> '{result,corrected,was}' from said), '{"side": "home", "minute": 5, "scorer": "Ann", "assist": "Cleo"}', 'the answer says what it was');
select is(build.verified(), null, 'score = replay');
select is(build.edited('fixture.play_correct', '{"play": 4, "changes": {"side": "away"}, "reason": "x"}'), 'accepted', 'credit to the other side');
select is(build.state() -> 'score', '{"home": 0, "away": 2}', 'changes the score');
select is(build.edited('fixture.play_correct', '{"play": 1, "changes": {"minute": 6}, "reason": "x"}'), 'refused no_such_play', 'fixture.play_correct refuses no_such_play');
select is(build.edited('fixture.play_correct', '{"play": 4, "changes": {"minute": 6}, "reason": "x"}'), 'refused no_change', 'fixture.play_correct refuses no_change');
select is(build.edited('fixture.play_correct', '{"play": 4, "changes": {"colour": "red"}, "reason": "x"}'), 'refused bad_field', 'fixture.play_correct refuses bad_field: a member that no goal has');
select is(build.edited('fixture.play_correct', '{"play": 4, "changes": {"side": null}, "reason": "x"}'), 'refused bad_field', 'one that every goal has');
select is((build.edit('fixture.play_correct', '{"play": 4, "changes": {"side": "home", "scorer": "Bea"}, "reason": "x"}')).body #> '{reason,detail,code}', '"sent_off"', 'rules hold');
select is(build.edited('fixture.play_correct', '{"play": 3, "changes": {"person": "Dora", "side": "away"}, "reason": "x"}'), 'refused illegal_play', 'fixture.play_correct refuses illegal_play: a later goal of who was sent off');
select build.edited('fixture.play_void', '{"play": 5, "reason": "x"}');
select is(build.edited('fixture.play_correct', '{"play": 5, "changes": {"minute": 8}, "reason": "x"}'), 'refused already_void', 'fixture.play_correct refuses already_void');
select build.plays('final', '[["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
select build.edited('fixture.result_status', '{"to": "official"}');
select is(build.edited('fixture.play_correct', '{"play": 4, "changes": {"minute": 8}, "reason": "x"}'), 'refused official', 'fixture.play_correct refuses official');
select is(build.verified(), null, 'score = replay');

select * from finish();
rollback;
