begin;
\ir ../builders.sql
select plan(6);

select build.fixture('c');
select build.running_fixture('a');
select build.fixture('b');
select build.fixture('x', p_event => 'other');
create temp table p as select road.read('event', 'cup', 'fixtures', null, 2) -> 'data' as one;
alter table p add two jsonb;
update p set two = road.read('event', 'cup', 'fixtures', one ->> 'next', 2) -> 'data';
select is((select jsonb_path_query_array(one, '$.items[*].ref') from p), '["a", "b"]', 'by reference');
select is((select one ->> 'next' from p), 'b', 'goes on after the last');
select is((select jsonb_path_query_array(two, '$.items[*].ref') from p), '["c"]', 'the rest, and none of another event');
select is((select two -> 'next' from p), 'null', 'is the last page');
select is((select (one #>> '{items,0,status}', one #> '{items,0,score}')::text from p), '(running,"{""away"": 0, ""home"": 0}")', 'with status and score');
select is((select array_agg(k order by k) from p, jsonb_object_keys(one #> '{items,0}') k), array['away', 'home', 'id', 'phase', 'ref', 'score', 'sport', 'starts_at', 'status', 'venue'], 'these members');

select * from finish();
rollback;
