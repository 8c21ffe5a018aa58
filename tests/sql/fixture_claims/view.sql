begin;
\ir ../builders.sql
select plan(2);

select build.level_fixture();
select is((select jsonb_path_query_array(road.read('fixture', 'final', 'claims'), '$.data.items[*].group')), '["schedule", "score"]', 'by group');
select is((select jsonb_path_query_array(road.read('fixture', 'final', 'claims'), '$.data.items[*].source')), '["entered", "plays"]', 'with the source');

select * from finish();
rollback;
