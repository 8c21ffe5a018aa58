begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);

select road.consumer_create('reader', 'stats');
select throws_ok($$select road.consumer_drop(build.sender('other', p_may_read_log => true), 'stats')$$, 'UM002', null, 'another''s');
select throws_ok($$select road.consumer_drop(build.sender('blind'), 'stats')$$, 'UM007', null, 'without the right');
select lives_ok($$select road.consumer_drop('reader', 'stats')$$, 'its own');
select throws_ok($$select road.consumer_drop(null, 'stats')$$, 'UM002', null, 'it is gone');

select * from finish();
rollback;
