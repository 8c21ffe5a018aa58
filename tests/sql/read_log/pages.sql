begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
select build.sender('auditor', p_may_read_log => true);
create temp table p as select road.read('fixture', 'final', 'log', null, 2, 'auditor') -> 'data' as one;
alter table p add two jsonb;
update p set two = road.read('fixture', 'final', 'log', one ->> 'next', 2, 'auditor') -> 'data';
select is((select jsonb_path_query_array(one, '$.items[*].seq') from p), '[1, 2]', 'the first page, oldest first');
select is((select one ->> 'next' from p), '2', 'goes on after its last');
select is((select jsonb_path_query_array(two, '$.items[*].code') from p), '["goal"]', 'the second page');
select is((select two -> 'next' from p), 'null', 'is the last');
select is((select array_agg(k order by k) from p, jsonb_object_keys(two #> '{items,0}') k),
    array['actor', 'at', 'code', 'input', 'key', 'note', 'sender', 'sent_at', 'seq', 'workflow'], 'who sent what and what came of it');
select is(road.read('fixture', 'final', 'log', '3', 2, 'auditor') -> 'data', '{"items": [], "next": null}', 'after the end: nothing');

select * from finish();
rollback;
