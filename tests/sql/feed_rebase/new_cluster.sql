begin;
\ir ../builders.sql
select plan(7);

-- As after a restore: the notes have xids of a cluster that was further on, and one was written here since.
select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
select build.sender('reader', p_may_read_log => true);
select road.consumer_create('reader', 'stats', true);
update road.note set xid = (id + 4000000000)::text::xid8;
update road.consumer set xid = '4000000000', id = 0;
update road.consumer c set xid = n.xid, id = n.id, top_id = n.id from road.note n where n.seq = 2 and n.subject_id = build.subject('fixture', 'final');
select build.play('goal', '{"side": "away", "minute": 9}');
update road.note set xid = '5' where seq = 4;
update road.feed set system_identifier = 1;
update road.consumer set system_identifier = 1;
select throws_ok($$select road.consumer_page('reader', 'stats')$$, 'UM020', null, 'stopped, loudly');
select is(road.feed_rebase() -> 'consumers_moved', '1'::jsonb, 'moved');
select is((select array_agg(distinct n.xid::text) from road.note n), array['0'], 'all notes come before what is to come');
select is((select array_agg((i ->> 'seq')::integer) from jsonb_array_elements(road.consumer_page('reader', 'stats') -> 'items') i), array[3, 4], 'C-117: nothing is skipped, also not what was written before the rebase, and seq order holds');
select is((select max(s.last_xid::text) from road.subject s), '0', 'whatever transaction id comes next is great enough for a note');
select is((select (f.system_identifier = i.system_identifier, f.rebased_at is not null)::text from road.feed f, road.cluster_identity() i), '(t,t)', 'and it is known where we are');
select is_empty('select * from road.invariants()', 'the invariants hold');

select * from finish();
rollback;
