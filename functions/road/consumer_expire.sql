-- A consumer that nobody reads must not keep notes for ever. Only notes that it could have read count: a horizon that is
-- stuck expires nobody.
create or replace function road.consumer_expire()
returns table (consumer text, sender text, unread_since timestamptz)
language sql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
    update road.consumer c
    set expired_at = road.now()
    from (
        select k.consumer, (
            select n.at from road.note n
            where (n.xid, n.id) > (k.xid, k.id) and n.xid < pg_snapshot_xmin(pg_current_snapshot())
            order by n.xid, n.id
            limit 1) as at
        from road.consumer k
        where k.expired_at is null
    ) o
    where c.consumer = o.consumer and c.expired_at is null and o.at < road.now() - c.max_lag
    returning c.consumer, c.sender, o.at
$$;
comment on function road.consumer_expire() is 'Marks consumers whose oldest unread note is older than their max_lag, and returns them.';
