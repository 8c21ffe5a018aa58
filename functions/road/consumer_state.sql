create or replace function road.consumer_state(p_consumer road.consumer)
returns jsonb
language sql
stable
as $$
    select pg_catalog.jsonb_build_object(
        'consumer', (p_consumer).consumer,
        'sender', (p_consumer).sender,
        'position', road.position((p_consumer).system_identifier, (p_consumer).timeline, (p_consumer).xid, (p_consumer).id),
        'state', case
            when ((p_consumer).system_identifier, (p_consumer).timeline) is distinct from (i.system_identifier, i.timeline) then 'needs_rebase'
            when (p_consumer).expired_at is not null then 'expired'
            else 'live'
        end,
        'lag_s', coalesce(pg_catalog.round(extract(epoch from pg_catalog.clock_timestamp() - (
            select n.at from road.note n
            where (n.xid, n.id) > ((p_consumer).xid, (p_consumer).id)
            order by n.xid, n.id
            limit 1))), 0),
        'max_lag_s', extract(epoch from (p_consumer).max_lag)::bigint,
        'created_at', (p_consumer).created_at,
        'acknowledged_at', (p_consumer).acknowledged_at,
        'expired_at', (p_consumer).expired_at)
    from road.cluster_identity() i
$$;
comment on function road.consumer_state(road.consumer) is 'A consumer as the API gives it; lag_s is the age of its oldest unread note.';
