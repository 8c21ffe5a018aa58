begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.command('fixture.note', 'final', '{"text": "one", "minute": 1}');
select build.play('goal', '{"side": "home", "minute": 5}');
select build.command('fixture.note', 'final', '{"text": "two"}');
create temp table p as select road.read('fixture', 'final', 'commentary', null, 1) -> 'data' as one;
alter table p add two jsonb;
update p set two = road.read('fixture', 'final', 'commentary', one ->> 'next', 10) -> 'data';
select is((select (one #> '{items,0}') - 'at' from p), '{"seq": 3, "text": "one", "minute": 1}', 'a line with its number');
select is((select jsonb_path_query_array(two, '$.items[*].text') from p), '["two"]', 'only lines of commentary');
select is((select two -> 'next' from p), 'null', 'the last page');

select * from finish();
rollback;
