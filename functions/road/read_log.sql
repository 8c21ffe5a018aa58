-- The subject's log, oldest first, in pages. Not open: reading it needs a sender with the scope.
create or replace function road.read_log(q road.query)
returns jsonb
language sql
stable
as $$
    with page as (
        select l.seq, l.at, l.sent_at, l.sender, l.actor, l.command_id, l.workflow, l.code, l.input, l.note
        from road.log l
        where l.subject_id = (q).subject_id and l.seq > road.page_number((q).after)
        order by l.seq
        limit (q).max_items
    )
    select jsonb_build_object(
        'items', coalesce(jsonb_agg(jsonb_build_object(
            'seq', p.seq, 'at', p.at, 'sent_at', p.sent_at, 'sender', p.sender, 'actor', p.actor, 'key', p.command_id,
            'workflow', p.workflow, 'code', p.code, 'input', p.input, 'note', p.note) order by p.seq), '[]'),
        'next', case when count(*) = (q).max_items then max(p.seq)::text end)
    from page p
$$;
comment on function road.read_log(road.query) is 'View "log" of every kind: who sent what and what came of it.';
