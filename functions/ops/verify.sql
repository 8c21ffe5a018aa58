-- Replays subjects in pages, so that a large database shows progress: start with the nil uuid, go on after the last row.
create or replace function road.verify(p_after uuid default '00000000-0000-0000-0000-000000000000', p_max_items integer default 100)
returns table (subject_id uuid, kind text, ref text, problem text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select s.subject_id, s.kind, s.ref,
        case
            when l.n <> s.last_seq or l.highest is distinct from nullif(s.last_seq, 0) then
                format('last_seq %s, but %s log rows up to %s', s.last_seq, l.n, l.highest)
            else road.dispatch_verify(s.kind, s.subject_id)
        end
    from road.subject s
    left join lateral (
        select count(*) as n, max(g.seq) as highest from road.log g where g.subject_id = s.subject_id
    ) l on true
    where s.subject_id > p_after
    order by s.subject_id
    limit p_max_items
$$;
comment on function road.verify(uuid, integer) is 'One row per subject of the page: what its log or a replay of its domain state shows to be wrong, null when nothing is.';
