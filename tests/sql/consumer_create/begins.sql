begin;
\ir ../builders.sql
select plan(10);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select is(road.consumer_create('reader', 'new') ->> 'position', build.at(3), 'begins with what comes next');
select is(road.consumer_create('reader', 'old', true) ->> 'position', (select road.position(i.system_identifier, i.timeline, '0', 0) from road.cluster_identity() i), 'or with the oldest note');
select is((select c.top_id from road.consumer c where c.consumer = 'new'), (select max(n.id) from road.note n), 'knows the highest id behind it');
select is(road.consumer_create('reader', 'new', true, interval '1 minute') - 'lag_s', road.consumer_create('reader', 'new') - 'lag_s', 'twice changes nothing');
select throws_ok($$select road.consumer_create(build.sender('other', p_may_read_log => true), 'new')$$, 'UM003', null, 'a name is one consumer''s');
select throws_ok($$select road.consumer_create(build.sender('blind'), 'x')$$, 'UM007', null, 'a sender that may not read logs');
select throws_ok($$select road.consumer_create('nobody', 'x')$$, 'UM002', null, 'no such sender');
select throws_ok($$select road.consumer_create('reader', 'Bad Name')$$, '23514', null, 'a name has its form');
select throws_ok($$select road.consumer_create('reader', 'x', false, interval '0')$$, '23514', null, 'a lag of nothing');
update road.feed set system_identifier = 1;
select throws_ok($$select road.consumer_create('reader', 'x')$$, 'UM020', null, 'notes of another cluster');

select * from finish();
rollback;
