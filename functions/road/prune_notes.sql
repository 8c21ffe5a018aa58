-- Deletes the oldest notes, in the readers' order and from the front only: behind every live consumer, behind the horizon,
-- and of those only what is older than p_keep. A small batch in a transaction of its own: it has an xid and so holds
-- the horizon while it runs.
-- locks: the feed's row; whoever finds it locked has nothing to do
-- raises: UM020 the notes are numbered in another cluster's transaction ids
create or replace function road.prune_notes(p_keep interval default interval '30 days', p_limit integer default 500)
returns integer
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_home bigint;
    v_before timestamptz := road.now() - p_keep;
    v_n integer;
begin
    -- A first look without a lock or an xid: mostly there is nothing to do. One row of the index.
    if not exists (
        select from (select n.at from road.note n order by n.xid, n.id limit 1) o where o.at < v_before
    ) then
        return 0;
    end if;
    select f.system_identifier into v_home from road.feed f for no key update skip locked;
    if not found then
        return 0;
    end if;
    if exists (select from road.cluster_identity() i where i.system_identifier <> v_home) then
        raise exception using errcode = 'UM020', message = 'the notes came from another database cluster; move them with: umpire ops rebase';
    end if;
    with bound as (
        select b.xid, b.id
        from (
            select c.xid, c.id from road.consumer c where c.expired_at is null
            union all
            select pg_snapshot_xmin(pg_current_snapshot()), 0::bigint
        ) b
        order by b.xid, b.id
        limit 1
    ),
    page as (
        select n.xid, n.id, bool_and(n.at < v_before) over (order by n.xid, n.id) as old
        from (
            select m.xid, m.id, m.at
            from road.note m, bound b
            where (m.xid, m.id) <= (b.xid, b.id) and m.xid < pg_snapshot_xmin(pg_current_snapshot())
            order by m.xid, m.id
            limit p_limit
        ) n
    ),
    gone as (
        delete from road.note n
        using page g
        where g.old and n.xid = g.xid and n.id = g.id
        returning n.xid, n.id
    ),
    top as (
        select g.xid, g.id, count(*) over () as n
        from gone g
        order by g.xid desc, g.id desc
        limit 1
    )
    update road.feed f
    set pruned_xid = t.xid, pruned_id = t.id, pruned_count = f.pruned_count + t.n, pruned_before = greatest(f.pruned_before, v_before)
    from top t
    returning t.n::integer into v_n;
    return coalesce(v_n, 0);
end
$$;
comment on function road.prune_notes(interval, integer) is 'Deletes at most p_limit notes that every live consumer has acknowledged and that are older than p_keep, and returns how many; call it again until it returns less than p_limit (C-118).';
