begin;
\ir ../builders.sql
select plan(11);

select build.fixture();
create function build.compared(p_saw jsonb) returns text language sql as $$
    select format('%smissing %s, changed %s', case when r.malformed then 'malformed, ' end, array_to_json(r.missing), jsonb_path_query_array(r.changed, '$[*].row_id'))
    from road.compare_rows(row ('event', 'fixture_put', 'event', 'cup', build.subject('event', 'cup'), null, 'tester', '', 'k',
        '{"fixture": "final"}'::jsonb, p_saw, null, null, 2, 0, array[build.subject('fixture', 'final')], array[2])::road.call) r
$$;
select is(build.compared('{"rows": {"fixture/final/schedule": 1}}'), 'missing , changed ', 'the version that is there: nothing');
select is(build.compared('{"rows": {"fixture/final/schedule": 0}}'), 'missing , changed ["fixture/final/schedule"]', 'C-013: an older one: changed');
select is(build.compared('{"rows": {"fixture/final/schedule": null}}'), 'missing , changed ["fixture/final/schedule"]', 'null for a row that is there: changed');
select is(build.compared('{"rows": {}}'), 'missing ["fixture/final/schedule"], changed ', 'not stated: missing');
select is(build.compared(null), 'missing ["fixture/final/schedule"], changed ', 'no saw: missing');
select is(build.compared('{"rows": [1]}'), 'malformed, missing , changed ', 'rows that are no object: malformed');
select is(build.compared('{"rows": {"fixture/final/schedule": "1"}}'), 'malformed, missing , changed ', 'a version that is a text: malformed');
select is(build.compared('[]'), 'malformed, missing , changed ', 'saw that is no object: malformed');
select is(build.compared('{"rows": {"fixture/final/schedule": 1, "fixture/gone/schedule": 4}}'), 'missing , changed ["fixture/gone/schedule"]', 'C-074: a row that is gone is named');
select is(build.compared('{"rows": {"fixture/final/schedule": 1, "fixture/gone/schedule": null}}'), 'missing , changed ', 'unless nothing was seen of it');
select is(build.compared('{"rows": {"z": 1, "fixture/gone/schedule": 4}}'), 'missing ["fixture/final/schedule"], changed ["fixture/gone/schedule", "z"]', 'in the order of their names');

select * from finish();
rollback;
