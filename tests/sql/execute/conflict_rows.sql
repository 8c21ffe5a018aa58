begin;
\ir ../builders.sql
select plan(7);

select build.fixture();
create temp table saw as select build.saw() as before;
select build.put('{"venue": "North"}');
create temp table said as select * from build.command('event.fixture_put', 'cup',
    '{"fixture": "final", "sport": "football", "home": "Reds", "away": "Blues", "venue": "South"}', (select before from saw), p_key => 'edit');

select is((select (outcome, reason)::text from said), '(conflict,version_moved)', 'C-013: the row moved on');
select is((select body #> '{changed,0}' from said),
    '{"row_id": "fixture/final/schedule", "changed_seq": 2, "value": {"starts_at": null, "venue": "North", "phase": null, "home": "Reds", "away": "Blues", "settings": {}}}',
    'C-074: the row as it is now');
select is((select venue from sport.fixture_schedule), 'North', 'nothing was written');
select is(build.put('{"venue": "South"}'), 'accepted', 'with the new version it goes through');
select is((select changed_seq from sport.fixture_schedule), 3::bigint, 'C-052: the row has the fixture''s log number');
select is((select last_seq from road.subject where ref = 'final'), 3::bigint, 'the fixture''s own number');
select is((select last_seq from road.subject where ref = 'cup'), 4::bigint, 'beside the event''s');

select * from finish();
rollback;
