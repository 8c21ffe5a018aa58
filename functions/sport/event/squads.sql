create or replace function sport.event_squads(q road.query)
returns jsonb
language sql
stable
as $$
    with page as (
        select s.team, s.changed_seq, s.members
        from sport.squad s
        where s.event_id = (q).subject_id and s.team > coalesce((q).after, '')
        order by s.team
        limit (q).max_items
    )
    select jsonb_build_object(
        'items', coalesce(jsonb_agg(jsonb_build_object('team', p.team, 'changed_seq', p.changed_seq, 'members', p.members) order by p.team), '[]'),
        'next', case when count(*) = (q).max_items then max(p.team) end)
    from page p
$$;
comment on function sport.event_squads(road.query) is 'View squads of an event, in pages by team.';
