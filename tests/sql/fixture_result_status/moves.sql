begin;
\ir ../builders.sql
select plan(13);

select build.running_fixture();
select is(build.edited('fixture.result_status', '{"to": "official", "note": "x"}'), 'refused not_over', 'fixture.result_status refuses not_over');
select is(build.edited('fixture.result_status', '{"to": "provisional"}'), 'accepted', 'provisional while it runs');
select is(build.edited('fixture.result_status', '{"to": "provisional"}'), 'refused no_change', 'fixture.result_status refuses no_change');
select build.edited('fixture.status_set', '{"status": "abandoned"}');
select is(build.edited('fixture.result_status', '{"to": "official", "note": "x"}'), 'refused no_result', 'fixture.result_status refuses no_result');
select build.edited('fixture.result_set', '{"home": 0, "away": 0, "how": "awarded"}');
select is(build.edited('fixture.result_status', '{"to": "official"}'), 'refused note_missing', 'fixture.result_status refuses note_missing: it was not finished');
select is(build.edited('fixture.result_status', '{"to": "official", "note": "It stands."}'), 'accepted', 'with a note');
select is(build.edited('fixture.result_status', '{"to": "protested"}'), 'refused note_missing', 'nor does it leave official without one');
select is(build.edited('fixture.result_status', '{"to": "protested", "note": "Rain."}'), 'accepted', 'with one');
select is((select jsonb_path_query_array(notes, '$[*].note') from sport.fixture_result), '["It stands.", "Rain."]', 'notes accumulate');
select build.level_fixture('semi');
select is(build.edited('fixture.result_status', '{"to": "official"}', 'semi'), 'accepted', 'what was played needs no note');
select build.edited('fixture.result_status', '{"to": "protested", "note": "Rain."}', 'semi');
select build.edited('fixture.result_set', '{"home": 3, "away": 0, "how": "awarded", "note": "x"}', 'semi');
select is(build.edited('fixture.result_status', '{"to": "official"}', 'semi'), 'refused note_missing', 'what is shown is not what was played');
select is((select changed_seq from sport.fixture_status where fixture_id = build.subject('fixture', 'semi')) < (select changed_seq from sport.fixture_result where fixture_id = build.subject('fixture', 'semi')), true, 'status and result never share a version');
select is(build.verified('semi'), null, 'a replay gives the same');

select * from finish();
rollback;
