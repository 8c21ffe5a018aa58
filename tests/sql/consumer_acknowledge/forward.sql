begin;
\ir ../builders.sql
select plan(7);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select road.consumer_create('reader', 'stats', true);
select is(road.consumer_acknowledge('reader', 'stats', build.at(2)) ->> 'position', build.at(2), 'moves');
select is((select c.top_id from road.consumer c), (select n.id from road.note n where n.seq = 2 and n.subject_id = build.subject('fixture', 'final')), 'with the highest id');
select is(road.consumer_acknowledge('reader', 'stats', build.at(1)) ->> 'position', build.at(2), 'a late one changes nothing');
select is(road.consumer_acknowledge(null, 'stats', build.at(3)) ->> 'position', build.at(3), 'an operator may');
select throws_ok($$select road.consumer_acknowledge('reader', 'stats', road.position(i.system_identifier, i.timeline, pg_current_xact_id(), 0)) from road.cluster_identity() i$$, 'UM003', null, 'OB-02: not past an open transaction');
select throws_ok($$select road.consumer_acknowledge('reader', 'stats', 'x')$$, 'UM003', null, 'garbage');
select throws_ok($$select road.consumer_acknowledge('reader', 'stats', '1-1-1-1')$$, 'UM020', null, 'another cluster''s');

select * from finish();
rollback;
