begin;
\ir ../builders.sql
select plan(10);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);

select build.sender('blind');
select build.sender('other', p_may_read_log => true);
select road.consumer_create('reader', 'stats');
select is((road.consumer_of('reader', 'stats')).sender, 'reader', 'its owner');
select is((road.consumer_of(null, 'stats')).sender, 'reader', 'an operator');
select throws_ok($$select road.consumer_of('blind', 'stats')$$, 'UM007', null, 'a sender that may not read logs');
select throws_ok($$select road.consumer_of('nobody', 'stats')$$, 'UM007', null, 'nobody');
select throws_ok($$select road.consumer_of('other', 'stats')$$, 'UM002', null, 'another''s consumer is not there');
update road.consumer set expired_at = now();
select throws_ok($$select road.consumer_of('reader', 'stats')$$, 'UM021', null, 'an expired one');
select is((road.consumer_of('reader', 'stats', true)).sender, 'reader', 'unless asked for');
update road.consumer set timeline = timeline + 1;
select throws_ok($$select road.consumer_of('reader', 'stats', true)$$, 'UM020', 'the consumer''s position is from another database cluster or timeline (a restore or a failover); an operator moves it with: umpire ops rebase', 'another timeline, with the way out');
update road.consumer set timeline = timeline - 1, system_identifier = 1;
select throws_ok($$select road.consumer_of('reader', 'stats', true)$$, 'UM020', null, 'another cluster');
select road.sender_disable('reader');
select throws_ok($$select road.consumer_of('reader', 'stats')$$, 'UM007', null, 'a disabled sender');

select * from finish();
rollback;
