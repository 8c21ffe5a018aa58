begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select road.consumer_create('reader', 'dead', true, interval '1 hour');
select road.consumer_create('reader', 'patient', true, interval '3 hours');
select road.consumer_create('reader', 'good', true, interval '1 hour');
select is_empty('select * from road.consumer_expire()', 'nobody while the notes are young');
update road.note set at = now() - interval '2 hours';
select road.consumer_acknowledge('reader', 'good', build.at(3));
select is((select array_agg(e.consumer) from road.consumer_expire() e), array['dead'], 'whose oldest unread note is older than it may be');
select is_empty('select * from road.consumer_expire()', 'once');
update road.consumer set expired_at = null;
update road.note set xid = pg_current_xact_id();
select is_empty('select * from road.consumer_expire()', 'OB-04: nobody while the horizon keeps the notes from them');

select * from finish();
rollback;
