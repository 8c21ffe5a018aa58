-- locks: the feed's row against pruning
-- raises: UM002 no such sender; UM003 the name is another sender's; UM007 the sender may not read logs; UM020 the notes
-- are numbered in another cluster's transaction ids
create or replace function road.consumer_create(
    p_sender text, p_consumer text, p_from_start boolean default false, p_max_lag interval default interval '7 days')
returns jsonb
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_consumer road.consumer;
    v_feed road.feed;
    v_here record;
begin
    if not exists (select from road.sender d where d.sender = p_sender and d.disabled_at is null) then
        raise exception using errcode = 'UM002', message = 'there is no such sender';
    elsif not exists (select from road.sender d where d.sender = p_sender and d.may_read_log) then
        raise exception using errcode = 'UM007', message = 'consumers are for senders that may read logs';
    end if;
    select f.one, f.system_identifier, f.timeline, f.pruned_xid, f.pruned_id, f.pruned_before, f.pruned_count, f.rebased_at into v_feed from road.feed f for share;
    select i.system_identifier, i.timeline into v_here from road.cluster_identity() i;
    if v_feed.system_identifier <> v_here.system_identifier then
        raise exception using errcode = 'UM020', message = 'the notes came from another database cluster; an operator moves them with: umpire ops rebase';
    end if;
    if exists (select from road.consumer c where c.consumer = p_consumer and c.sender <> p_sender) then
        raise exception using errcode = 'UM003', message = 'there is a consumer of this name already';
    elsif not exists (select from road.consumer c where c.consumer = p_consumer) then
        insert into road.consumer (consumer, sender, xid, id, top_id, system_identifier, timeline, max_lag)
        select p_consumer, p_sender,
            case when p_from_start then v_feed.pruned_xid else l.xid end,
            case when p_from_start then v_feed.pruned_id else l.id end,
            case when p_from_start then 0 else coalesce((select max(n.id) from road.note n where (n.xid, n.id) <= (l.xid, l.id)), 0) end,
            v_here.system_identifier, v_here.timeline, p_max_lag
        from road.last_position() l;
    end if;
    select c.consumer, c.sender, c.xid, c.id, c.top_id, c.system_identifier, c.timeline, c.max_lag, c.created_at, c.acknowledged_at, c.expired_at
    into v_consumer
    from road.consumer c
    where c.consumer = p_consumer;
    return road.consumer_state(v_consumer);
end
$$;
comment on function road.consumer_create(text, text, boolean, interval) is 'Creates a durable consumer that begins now, or with the oldest note that is kept. Doing it twice changes nothing.';
