-- The reader's query: one statement, one snapshot. Nothing at or above the oldest transaction that is still running is
-- shown, so a late commit is never skipped (C-115, C-116).
create or replace function road.notes(p_after_xid xid8, p_after_id bigint, p_limit integer default 500)
returns table (note_xid xid8, note_id bigint, kind text, ref text, subject_id uuid, seq bigint, at timestamptz, workflow text, code text, body jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select n.xid, n.id, s.kind, s.ref, n.subject_id, n.seq, n.at, n.workflow, n.code, n.body
    from road.note n
    join road.subject s on s.subject_id = n.subject_id
    where (n.xid, n.id) > (p_after_xid, p_after_id)
        and n.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by n.xid, n.id
    limit p_limit
$$;
comment on function road.notes(xid8, bigint, integer) is 'The next notes after a position (note_xid, note_id), in the order in which every reader gets them. Start with (''0'', 0). A note appears once no older transaction of the cluster is running.';
