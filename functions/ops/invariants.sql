-- What must hold at any moment, whatever happened before. Called after every test and by `umpire ops verify`; on a large
-- database it reads everything once.
create or replace function road.invariants()
returns table (name text, detail text)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
set jit = off -- compiling so long a query takes longer than it saves
as $$
    -- a subject's log is 1..last_seq without a gap
    select 'log_gapless', format('subject %s %s: last_seq %s, but %s log rows from %s to %s', s.kind, s.ref, s.last_seq, l.n, l.lowest, l.highest)
    from road.subject s
    left join lateral (
        select count(*) as n, min(g.seq) as lowest, max(g.seq) as highest from road.log g where g.subject_id = s.subject_id
    ) l on true
    where l.n <> s.last_seq or (s.last_seq > 0 and (l.lowest, l.highest) is distinct from (1::bigint, s.last_seq))
    union all
    select 'log_of_no_subject', format('log %s %s', l.subject_id, l.seq)
    from road.log l
    where not exists (select from road.subject s where s.subject_id = l.subject_id)
    union all
    -- one note per log row, saying the same; none for the first rows of a subject whose notes were pruned
    select 'one_note_per_log_row', format('subject %s seq %s: %s notes', l.subject_id, l.seq, count(n.id))
    from road.log l
    cross join road.feed f
    left join road.note n on n.subject_id = l.subject_id and n.seq = l.seq
        and n.body = l.note and n.workflow = l.workflow and n.code = l.code
    group by l.subject_id, l.seq, l.at, f.pruned_before
    having count(n.id) <> 1 and not (
        count(n.id) = 0 and l.at < f.pruned_before
        and not exists (select from road.note o where o.subject_id = l.subject_id and o.seq <= l.seq))
    union all
    -- as many log rows without a note as were pruned, and nothing came back behind the watermark
    select 'pruned_are_counted', format('%s notes were pruned, %s log rows have none', f.pruned_count, m.n)
    from road.feed f
    cross join lateral (
        select count(*) as n from road.log l
        where not exists (select from road.note o where o.subject_id = l.subject_id and o.seq = l.seq)
    ) m
    where m.n <> f.pruned_count
    union all
    select 'note_behind_watermark', format('subject %s seq %s', n.subject_id, n.seq)
    from road.note n
    join road.feed f on (n.xid, n.id) <= (f.pruned_xid, f.pruned_id)
    union all
    select 'note_of_no_log_row', format('subject %s seq %s', n.subject_id, n.seq)
    from road.note n
    where not exists (select from road.log l where l.subject_id = n.subject_id and l.seq = n.seq)
    union all
    -- in the readers' order a subject's notes come by seq
    select 'notes_in_seq_order', format('subject %s: %s comes after %s', o.subject_id, o.seq, o.before)
    from (
        select n.subject_id, n.seq, lag(n.seq) over (partition by n.subject_id order by n.xid, n.id) as before
        from road.note n
    ) o
    where o.seq <> coalesce(o.before, 0) + 1 and o.before is not null
    union all
    -- an accepted command has exactly one log row on its own subject, under its number
    -- (an older one may be of an earlier life of the key)
    select 'accepted_is_logged_once', format('command %s/%s/%s: %s log rows on its subject', k.sender, k.actor, k.command_id, count(l.seq))
    from road.command k
    left join road.log l on l.subject_id = k.subject_id and l.seq >= k.seq
        and l.sender = k.sender and l.actor = k.actor and l.command_id = k.command_id
    where k.outcome = 'accepted'
    group by k.sender, k.actor, k.command_id, k.seq
    having count(l.seq) <> 1 or max(l.seq) <> k.seq
    union all
    -- a refused one has only its command row; a log row has an accepted command, unless its key has expired since
    select 'logged_was_accepted', format('subject %s seq %s', l.subject_id, l.seq)
    from road.log l
    left join road.catalogue_command c on c.workflow = l.workflow and c.code = l.code
    left join road.command k on k.sender = l.sender and k.actor = l.actor and k.command_id = l.command_id
    where k.outcome is distinct from 'accepted' and l.at + coalesce(c.key_ttl, interval '30 days') > road.now()
    union all
    -- the stored answer is the answer of that command
    select 'answer_is_its_own', format('command %s/%s/%s', k.sender, k.actor, k.command_id)
    from road.command k
    where (k.answer ->> 'outcome', k.answer ->> 'key', (k.answer ->> 'seq')::bigint)
        is distinct from (k.outcome, k.command_id, k.seq)
    union all
    -- what the plays fold to is what is shown
    select 'replay', format('%s %s: %s', s.kind, s.ref, v.problem)
    from road.subject s
    cross join lateral (select road.dispatch_verify(s.kind, s.subject_id) as problem) v
    where v.problem is not null
$$;
comment on function road.invariants() is 'One row per broken invariant; none = all is well.';
