create or replace function sport.event_fixtures(q road.query)
returns jsonb
language sql
stable
as $$
    with page as (
        select s.ref, s.subject_id, f.sport, h.starts_at, h.venue, h.phase, h.home, h.away, t.status, c.state
        from sport.fixture f
        join road.subject s on s.subject_id = f.fixture_id
        join sport.fixture_schedule h on h.fixture_id = f.fixture_id
        join sport.fixture_status t on t.fixture_id = f.fixture_id
        join sport.fixture_score c on c.fixture_id = f.fixture_id
        where f.event_id = (q).subject_id and s.ref > coalesce((q).after, '')
        order by s.ref
        limit (q).max_items
    )
    select jsonb_build_object(
        'items', coalesce(jsonb_agg(jsonb_build_object(
            'ref', p.ref, 'id', p.subject_id, 'sport', p.sport, 'starts_at', p.starts_at, 'venue', p.venue, 'phase', p.phase,
            'home', p.home, 'away', p.away, 'status', p.status, 'score', p.state -> 'score') order by p.ref), '[]'),
        'next', case when count(*) = (q).max_items then max(p.ref) end)
    from page p
$$;
comment on function sport.event_fixtures(road.query) is 'View fixtures of an event, in pages by reference.';
