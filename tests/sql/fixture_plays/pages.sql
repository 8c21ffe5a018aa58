begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.command('fixture.note', 'final', '{"text": "one"}');
select build.play('goal', '{"side": "home", "minute": 5}');
create temp table p as select road.read('fixture', 'final', 'plays', null, 1) -> 'data' as one;
alter table p add two jsonb;
update p set two = road.read('fixture', 'final', 'plays', one ->> 'next', 10) -> 'data';
select is((select one -> 'items' from p), '[{"play": 2, "workflow": "football", "code": "period_start", "input": {"period": "H1"}, "changed_seq": 2, "voided_by": null}]', 'the first play');
select is((select one ->> 'next' from p), '2', 'goes on after it');
select is((select jsonb_path_query_array(two, '$.items[*].play') from p), '[4]', 'plays only');
select is((select two -> 'next' from p), 'null', 'the last page');

select * from finish();
rollback;
