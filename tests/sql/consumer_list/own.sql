begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);

select road.consumer_create('reader', 'b');
select road.consumer_create('reader', 'a');
select road.consumer_create(build.sender('other', p_may_read_log => true), 'c');
select is((select array_agg(l ->> 'consumer') from jsonb_array_elements(road.consumer_list('reader')) l), array['a', 'b'], 'a sender''s own');
select is((select array_agg(l ->> 'consumer') from jsonb_array_elements(road.consumer_list()) l), array['a', 'b', 'c'], 'all for an operator');
select throws_ok($$select road.consumer_list(build.sender('blind'))$$, 'UM007', null, 'without the right');

select * from finish();
rollback;
