begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);

select road.consumer_create('reader', 'stats', true, interval '1 hour');
update road.note set at = now() - interval '100 seconds' where seq = 1;
create temp table s as select road.consumer_state(c) as s from road.consumer c;
select is((select s - 'position' - 'created_at' - 'acknowledged_at' - 'lag_s' from s), '{"consumer": "stats", "sender": "reader", "state": "live", "max_lag_s": 3600, "expired_at": null}', 'as it is');
select ok((select (s ->> 'lag_s')::integer between 99 and 160 from s), 'lag: the age of the oldest unread note');
update road.consumer set expired_at = now();
select is((select road.consumer_state(c) ->> 'state' from road.consumer c), 'expired', 'expired');
update road.consumer set timeline = 7;
select is((select road.consumer_state(c) ->> 'state' from road.consumer c), 'needs_rebase', 'of another timeline');

select * from finish();
rollback;
