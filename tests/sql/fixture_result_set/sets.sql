begin;
\ir ../builders.sql
select plan(10);

select build.running_fixture();
select is(build.edited('fixture.result_set', '{"home": 0, "away": 0, "how": "played"}'), 'refused not_over', 'fixture.result_set refuses not_over');
select build.plays('final', '[["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["goal", {"side": "away", "minute": 50}], ["period_end", {"period": "H2"}]]');
select is(build.edited('fixture.result_set', '{"home": 3, "away": 0, "how": "awarded"}'), 'refused note_missing', 'fixture.result_set refuses note_missing');
select is(build.edited('fixture.result_set', '{"home": 0, "away": 1, "how": "played"}'), 'accepted', 'what was played needs none');
select is(build.edited('fixture.result_set', '{"home": 3, "away": 0, "how": "awarded", "note": "Suspended player."}'), 'accepted', 'awarded');
select is(road.read('fixture', 'final') #> '{data,shown}', '{"source": "entered", "value": {"home": 3, "away": 0}}', 'it is shown');
select is(build.state() -> 'score', '{"home": 0, "away": 1}', 'what was played stays');
select is((select string_agg(at || ' ' || claimed || ' ' || truth, ', ' order by at) from sport.fixture_conflicting(build.subject('fixture', 'final'))), 'away 0 1, home 3 0', 'and the difference is listed');
select build.edited('fixture.result_status', '{"to": "official", "note": "Decision 7."}');
select is(build.edited('fixture.result_set', '{"home": 0, "away": 1, "how": "played"}'), 'refused official', 'fixture.result_set refuses official');
select is((select jsonb_path_query_array(notes, '$[*].note') from sport.fixture_result), '["Suspended player.", "Decision 7."]', 'notes accumulate');
select build.fixture('never');
select is(build.edited('fixture.result_set', '{"home": 3, "away": 0, "how": "walkover", "note": "They did not come."}', 'never'), 'accepted', 'never started');

select * from finish();
rollback;
