create or replace function sport.event_sources_row(cmd road.call)
returns setof road.current_row
language sql
stable
as $$
    select 'event/' || (cmd).ref || '/sources/' || w.field_group, s.changed_seq, case when s.sources is not null then jsonb_build_object('order', s.sources, 'senders', s.senders) end
    from (values ((cmd).subject_id, (cmd).input ->> 'group')) w (event_id, field_group)
    left join sport.event_sources s on s.event_id = w.event_id and s.field_group = w.field_group
$$;
comment on function sport.event_sources_row(road.call) is 'The sources and their senders that sources_set would change, as they are now.';
