begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture('final', '{"subs": 1}');
select build.put('{"settings": {"subs": 5}}');
select is(build.edited('fixture.play_void', '{"play": 2, "reason": "Not yet."}'), 'accepted', 'the only play');
select is((select row(t.status, c.state)::text from sport.fixture_status t, sport.fixture_score c), '(scheduled,{})', 'nothing has begun');
select is(build.verified(), null, 'as a replay says');
select build.plays('final', '[["period_start", {"period": "H1"}]]');
select is(build.state() #> '{settings,subs}', '5', 'the settings are those of the next kick-off');

select * from finish();
rollback;
