-- The position of whoever has seen all there is to see in this snapshot. Always that of a note (or of the last pruned
-- one), never the horizon itself: after a crash Postgres gives out again the transaction ids that left no trace in the
-- WAL, and a note under one of them would lie behind a position that was only a horizon.
create or replace function road.last_position(out xid xid8, out id bigint)
returns record
language sql
stable
as $$
    select coalesce(n.xid, f.pruned_xid), coalesce(n.id, f.pruned_id)
    from road.feed f
    left join lateral (
        select m.xid, m.id
        from road.note m
        where m.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())
        order by m.xid desc, m.id desc
        limit 1
    ) n on true
$$;
comment on function road.last_position() is 'The last note below the horizon of this snapshot: where a reader begins that wants what comes next.';
