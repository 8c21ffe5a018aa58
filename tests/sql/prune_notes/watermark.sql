begin;
\ir ../builders.sql
select plan(9);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select is(road.prune_notes(), 0, 'nothing while the notes are young');
update road.note set at = now() - interval '40 days';
update road.log set at = now() - interval '40 days';
select road.consumer_create('reader', 'slow', true);
select is(road.prune_notes(), 0, 'OB-02: nothing before every live consumer has it');
select road.consumer_acknowledge('reader', 'slow', build.at(2, 'cup'));
select is(road.prune_notes(), 2, 'up to the consumer''s position');
select is((select (f.pruned_xid, f.pruned_count)::text from road.feed f), (select (c.xid, 2)::text from road.consumer c), 'the watermark says how far');
select is_empty('select * from road.invariants()', 'and the invariants know');
update road.consumer set expired_at = now();
select is(road.prune_notes(p_limit => 1), 1, 'an expired one holds nothing up; in small batches');
update road.note set at = now() where seq = 3;
update road.log set at = now() where seq = 3;
select is(road.prune_notes(), 1, 'the young stay');
update road.note set at = now() - interval '40 days', xid = pg_current_xact_id();
select is(road.prune_notes(), 0, 'what is above the horizon stays, however old');
update road.note set xid = '500';
update road.feed set system_identifier = 1;
select throws_ok('select road.prune_notes()', 'UM020', null, 'not with notes of another cluster');

select * from finish();
rollback;
