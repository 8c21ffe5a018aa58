-- Creates a fixture under its event, or edits its schedule. Its log row is on the event; the fixture gets one too, whose
-- number is the row's changed_seq.
-- locks: none of its own (the road holds event and fixture)
-- refuses: other_event, sport_fixed, unknown_sport, same_side, already_started
create or replace function sport.event_fixture_put(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
declare
    v_fixture_id uuid := cmd.further[1];
    v_seq bigint := road.seq_of(cmd, v_fixture_id);
    v_sport text := cmd.input ->> 'sport';
    v_starts_at timestamptz := cmd.input ->> 'starts_at';
    v_settings jsonb := coalesce(cmd.input -> 'settings', '{}');
    v_is_new boolean;
    v_now record;
    v_note jsonb;
begin
    if cmd.input ->> 'home' = cmd.input ->> 'away' and cmd.input ->> 'home' <> 'TBD' then
        perform road.refuse('same_side', 'Both sides are the same.');
    end if;

    select f.event_id, f.sport, h.starts_at, h.home, h.away, t.status
    into v_now
    from sport.fixture f
    join sport.fixture_schedule h on h.fixture_id = f.fixture_id
    join sport.fixture_status t on t.fixture_id = f.fixture_id
    where f.fixture_id = v_fixture_id;
    v_is_new := not found;

    if v_is_new then
        if not exists (
            select from road.catalogue_command c
            where c.workflow = v_sport and c.kind = 'fixture' and c.level = 'play'
        ) then
            perform road.refuse('unknown_sport', 'There is no workflow of this name that scores fixtures.');
        end if;
        insert into sport.fixture (fixture_id, event_id, sport) values (v_fixture_id, cmd.subject_id, v_sport);
        insert into sport.fixture_status (fixture_id, changed_seq, status) values (v_fixture_id, v_seq, 'scheduled');
        insert into sport.fixture_score (fixture_id, changed_seq, state) values (v_fixture_id, v_seq, '{}');
        insert into sport.fixture_schedule (fixture_id, changed_seq, starts_at, venue, phase, home, away, settings)
        values (v_fixture_id, v_seq, v_starts_at, cmd.input ->> 'venue', cmd.input ->> 'phase', cmd.input ->> 'home', cmd.input ->> 'away', v_settings);
    else
        if v_now.event_id <> cmd.subject_id then
            perform road.refuse('other_event', 'The fixture belongs to another event.');
        elsif v_now.sport <> v_sport then
            perform road.refuse('sport_fixed', 'A fixture''s sport never changes.', jsonb_build_object('sport', v_now.sport));
        elsif v_now.status in ('running', 'suspended', 'abandoned', 'finished')
            and (v_now.starts_at, v_now.home, v_now.away) is distinct from (v_starts_at, cmd.input ->> 'home', cmd.input ->> 'away') then
            perform road.refuse('already_started', 'A fixture that has started keeps its scheduled start and its sides.');
        end if;
        update sport.fixture_schedule h
        set changed_seq = v_seq, starts_at = v_starts_at, venue = cmd.input ->> 'venue', phase = cmd.input ->> 'phase',
            home = cmd.input ->> 'home', away = cmd.input ->> 'away', settings = v_settings
        where h.fixture_id = v_fixture_id;
    end if;

    v_note := cmd.input || jsonb_build_object('created', v_is_new);
    return jsonb_build_object(
        'result', jsonb_build_object(
            'fixture', jsonb_build_object('kind', 'fixture', 'id', v_fixture_id, 'ref', cmd.input ->> 'fixture'),
            'created', v_is_new,
            'rows', jsonb_build_object('fixture/' || (cmd.input ->> 'fixture') || '/schedule', v_seq)),
        'note', v_note,
        'further', jsonb_build_object(v_fixture_id::text, v_note));
end
$$;
comment on function sport.event_fixture_put(road.call) is 'Handler of event.fixture_put.';
