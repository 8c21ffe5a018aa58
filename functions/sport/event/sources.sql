create or replace function sport.event_sources(q road.query)
returns jsonb
language sql
stable
as $$
    select jsonb_build_object('groups', coalesce(jsonb_object_agg(
        s.field_group, jsonb_build_object('order', s.sources, 'changed_seq', s.changed_seq)), '{}'))
    from sport.event_sources s
    where s.event_id = (q).subject_id
$$;
comment on function sport.event_sources(road.query) is 'View sources of an event: whose value counts, by field group.';
