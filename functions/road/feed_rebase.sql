-- After a restore into another cluster or a promotion, transaction ids begin anew or again. Nothing is skipped afterwards;
-- some notes may come twice.
--
-- Another timeline of the same cluster: the notes' xids still mean something, the positions came with them. Another
-- cluster: the notes' xids mean nothing. Ids were given out under the subject's lock, so that their order is right for
-- each subject, and nobody writes while the lock below is held: all notes there are get xid 0 and so come first, by id.
-- What a consumer has not acknowledged is what lies behind its position, or has an id above all that it acknowledged.
--
-- locks: every subject, when the cluster is another one; then outbox, consumers and the feed's row against every writer
create or replace function road.feed_rebase()
returns jsonb
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_feed road.feed;
    v_here record;
    v_notes bigint := 0;
    v_consumers bigint;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception using errcode = 'UM004', message = 'road.feed_rebase needs READ COMMITTED: it must see what its lock waited for';
    end if;
    -- Before the outbox is locked: a command holds its subject when it comes to the outbox.
    update road.subject s
    set last_xid = '0'
    where s.last_xid <> '0'
        and (select f.system_identifier from road.feed f) <> (select i.system_identifier from road.cluster_identity() i);
    lock table road.note, road.consumer, road.feed in share row exclusive mode;
    select f.one, f.system_identifier, f.timeline, f.pruned_xid, f.pruned_id, f.pruned_before, f.pruned_count, f.rebased_at into v_feed from road.feed f;
    select i.system_identifier, i.timeline into v_here from road.cluster_identity() i;

    if v_feed.system_identifier <> v_here.system_identifier then
        update road.consumer c
        set xid = '0',
            id = coalesce(
                (select min(n.id) - 1 from road.note n where (n.xid, n.id) > (c.xid, c.id) or n.id > c.top_id),
                (select max(n.id) from road.note n),
                c.top_id);
        update road.consumer c
        set top_id = c.id;
        update road.note n
        set xid = '0'
        where n.xid <> '0';
        get diagnostics v_notes = row_count;
        update road.feed f
        set pruned_xid = '0',
            pruned_id = case when f.pruned_count = 0 then 0 else coalesce((select min(n.id) - 1 from road.note n), 0) end;
    end if;
    update road.consumer c
    set system_identifier = v_here.system_identifier, timeline = v_here.timeline
    where (c.system_identifier, c.timeline) is distinct from (v_here.system_identifier, v_here.timeline);
    get diagnostics v_consumers = row_count;
    update road.feed f
    set system_identifier = v_here.system_identifier, timeline = v_here.timeline, rebased_at = road.now();
    return jsonb_build_object(
        'was', jsonb_build_object('system_identifier', v_feed.system_identifier::text, 'timeline', v_feed.timeline),
        'is', jsonb_build_object('system_identifier', v_here.system_identifier::text, 'timeline', v_here.timeline),
        'notes_renumbered', v_notes, 'consumers_moved', v_consumers);
end
$$;
comment on function road.feed_rebase() is 'Makes this cluster and timeline the one that notes and consumers are numbered in: `umpire ops rebase` after a restore or a failover.';
