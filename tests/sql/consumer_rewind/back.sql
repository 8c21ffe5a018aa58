begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select road.consumer_create('reader', 'stats');
select is(road.consumer_rewind('reader', 'stats', build.at(1)) ->> 'position', build.at(1), 'back');
select is((select c.top_id from road.consumer c), (select n.id from road.note n where n.seq = 1 and n.subject_id = build.subject('fixture', 'final')), 'and does not pretend to have what comes after');
select throws_ok($$select road.consumer_rewind('reader', 'stats', build.at(3))$$, 'UM003', null, 'not forward');
update road.consumer set expired_at = now();
select is(road.consumer_rewind('reader', 'stats') ->> 'state', 'live', 'an expired one lives again');
update road.feed set pruned_xid = '12', pruned_id = 2;
select is(road.consumer_rewind('reader', 'stats') ->> 'position', (select road.position(i.system_identifier, i.timeline, '12', 2) from road.cluster_identity() i), 'start is where pruning ended');
select throws_ok($$select road.consumer_rewind('reader', 'stats', road.position(i.system_identifier, i.timeline, '11', 1)) from road.cluster_identity() i$$, 'UM021', null, 'not to what is gone');

select * from finish();
rollback;
