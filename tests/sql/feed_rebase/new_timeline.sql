begin;
\ir ../builders.sql
select plan(2);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);
create function build.at(p_seq bigint, p_ref text default 'final') returns text language sql as $$
    select road.position(i.system_identifier, i.timeline, n.xid, n.id)
    from road.cluster_identity() i, road.note n where n.seq = p_seq and n.subject_id = coalesce(build.subject('fixture', p_ref), build.subject('event', p_ref))
$$;

select road.consumer_create('reader', 'stats', true);
select road.consumer_acknowledge('reader', 'stats', build.at(2));
update road.consumer set timeline = 7;
select is(road.feed_rebase() - 'was' - 'is', '{"notes_renumbered": 0, "consumers_moved": 1}', 'another timeline: the notes'' xids still hold');
select is((select array_agg((i ->> 'seq')::integer) from jsonb_array_elements(road.consumer_page('reader', 'stats') -> 'items') i), array[3], 'the consumer goes on where it was');

select * from finish();
rollback;
