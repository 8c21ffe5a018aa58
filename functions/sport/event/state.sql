create or replace function sport.event_state(q road.query)
returns jsonb
language sql
stable
as $$
    select jsonb_build_object(
        'name', e.name, 'starts_on', e.starts_on, 'ends_on', e.ends_on, 'settings', e.settings,
        'fixtures', (select count(*) from sport.fixture f where f.event_id = e.event_id),
        'rows', jsonb_build_object('event/' || (q).ref, e.changed_seq))
    from sport.event e
    where e.event_id = (q).subject_id
$$;
comment on function sport.event_state(road.query) is 'View state of an event.';
