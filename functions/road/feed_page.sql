-- What the server's one poller asks: the next notes, the horizon, and where we are, all of one snapshot (OB-06).
create or replace function road.feed_page(
    p_after_xid xid8, p_after_id bigint, p_limit integer,
    out horizon xid8, out next_xid xid8, out more_above boolean, out system_identifier bigint, out timeline integer,
    out home_system_identifier bigint, out pruned_xid xid8, out pruned_id bigint, out last_xid xid8, out last_id bigint, out notes jsonb)
returns record
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select
        pg_snapshot_xmin(pg_current_snapshot()),
        pg_snapshot_xmax(pg_current_snapshot()),
        exists (select from road.note n where n.xid >= pg_snapshot_xmin(pg_current_snapshot()) and (n.xid, n.id) > (p_after_xid, p_after_id)),
        i.system_identifier, i.timeline, f.system_identifier, f.pruned_xid, f.pruned_id, l.xid, l.id,
        (
            select coalesce(jsonb_agg(jsonb_build_object(
                'xid', n.note_xid::text, 'id', n.note_id, 'kind', n.kind, 'ref', n.ref, 'subject_id', n.subject_id,
                'event', coalesce(p.ref, n.ref), 'seq', n.seq, 'at', n.at, 'workflow', n.workflow, 'code', n.code, 'body', n.body)
                order by n.note_xid, n.note_id), '[]')
            from road.notes(p_after_xid, p_after_id, p_limit) n
            join road.subject s on s.subject_id = n.subject_id
            left join road.subject p on p.subject_id = s.parent_id
        )
    from road.feed f, road.cluster_identity() i, road.last_position() l
$$;
comment on function road.feed_page(xid8, bigint, integer) is 'The next notes after a position as the live stream needs them, with the horizon (oldest running transaction id), the next id to be given out, whether committed notes wait above the horizon, this cluster''s identity and the one that the notes belong to, how far notes were pruned, and the last note below the horizon.';
