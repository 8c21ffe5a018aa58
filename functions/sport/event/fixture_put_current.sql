create or replace function sport.event_fixture_put_current(cmd road.call)
returns setof road.current_row
language sql
stable
as $$
    select
        'fixture/' || ((cmd).input ->> 'fixture') || '/schedule',
        h.changed_seq,
        case when h.fixture_id is not null then jsonb_build_object(
            'starts_at', h.starts_at, 'venue', h.venue, 'phase', h.phase, 'home', h.home, 'away', h.away, 'settings', h.settings) end
    from (values ((cmd).further[1])) f (fixture_id)
    left join sport.fixture_schedule h on h.fixture_id = f.fixture_id
$$;
comment on function sport.event_fixture_put_current(road.call) is 'The schedule row that event.fixture_put would change, as it is now.';
