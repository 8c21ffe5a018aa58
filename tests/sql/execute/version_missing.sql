begin;
\ir ../builders.sql
select plan(10);

select build.running_fixture();

select is(build.brief(build.command('football.goal', 'final', '{"side": "home", "minute": 5}')), 'refused version_missing', 'no saw at all');
select is(build.brief(build.command('football.goal', 'final', '{"side": "home", "minute": 5}', '{}')), 'refused version_missing', 'missing is not equal: saw without play');
select is((build.command('football.goal', 'final', '{"side": "home", "minute": 5}', '{}')).body #> '{reason,detail}', '{"missing": ["play"]}', 'it says what is missing');
select is(build.brief(build.command('football.goal', 'final', '{"side": "home", "minute": 5}', '{"play": null}')), 'conflict version_moved', 'an explicit null is a statement');
select is((build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}', '{"rows": {}}')).body #> '{reason,detail}',
    '{"missing": ["fixture/final/schedule"]}', 'rows: it names the row');
select is(build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "new", "sport": "football", "home": "a", "away": "b"}')), 'refused version_missing', 'a row that is to be created needs its null too');
select is(build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "new", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/new/schedule": null}}')), 'accepted', 'explicit null: I saw none');
select is(build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "Reds", "away": "Blues"}', '{"rows": {"fixture/final/schedule": null}}')), 'conflict version_moved', 'null for a row that is there is a conflict');
select is((build.command('event.fixture_put', 'cup', '{"fixture": "new2", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/new2/schedule": 7}}')).body -> 'changed',
    '[{"row_id": "fixture/new2/schedule", "changed_seq": null, "value": null}]', 'a row that is gone is named in the conflict');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'version_missing is no rule''s no: it is not stored');

select * from finish();
rollback;
