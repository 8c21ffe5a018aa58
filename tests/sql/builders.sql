-- Loaded at the start of every test, inside its transaction: pgTAP, and schema build, whose functions set up one thing
-- in one call. All of it goes with the rollback at the end.
--
--   build.running_fixture()                          a fixture in its first half, its event and its sender
--   build.command('fixture.note', 'final', '{…}')    a command; gives outcome, reason, seq and body
--   build.play('goal', '{…}')                        a play that saw the last one; gives "accepted" or "refused CODE"
--   build.edited('fixture.play_void', '{…}')         an edit that saw the rows as they are; the same
--   build.lined_up()                                 like running_fixture, with both line-ups: A1 … A18, B1 … B18
\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset pager off

set local client_min_messages = warning;
create extension if not exists pgtap;
create schema build;
grant usage on schema build to public;
create sequence build.key;
create type build.answered as (outcome text, reason text, seq bigint, body jsonb);

-- "accepted", "refused not_running", ...
create function build.brief(p_answered build.answered)
returns text
language sql
as $$
    select concat_ws(' ', p_answered.outcome, p_answered.reason)
$$;

-- The token is the sender's name.
create function build.sender(
    p_sender text default 'tester', p_workflows text[] default null, p_events text[] default null,
    p_may_act boolean default false, p_may_read_log boolean default false)
returns text
language plpgsql
as $$
begin
    if not exists (select from road.sender d where d.sender = p_sender) then
        perform road.sender_add(p_sender, sha256(convert_to(p_sender, 'UTF8')), p_workflows, p_events, p_may_act, p_may_read_log);
    end if;
    return p_sender;
end
$$;

-- Sends one command. p_what is workflow.code; the kind of subject is the catalogue's unless it is given.
create function build.command(
    p_what text, p_ref text, p_input jsonb default '{}', p_saw jsonb default null, p_key text default null,
    p_sender text default 'tester', p_actor text default '', p_token text default null, p_kind text default null)
returns build.answered
language plpgsql
as $$
declare
    v_workflow text := split_part(p_what, '.', 1);
    v_code text := split_part(p_what, '.', 2);
    v_said record;
begin
    select r.outcome, r.answer
    into v_said
    from road.execute(
        p_sender => p_sender, p_workflow => v_workflow,
        p_kind => coalesce(p_kind, (select c.kind from road.catalogue_command c where c.workflow = v_workflow and c.code = v_code), 'fixture'),
        p_ref => p_ref, p_code => v_code, p_command_id => coalesce(p_key, 'key-' || nextval('build.key')),
        p_input => p_input, p_saw => p_saw, p_actor => p_actor, p_token_sha256 => sha256(convert_to(p_token, 'UTF8'))) r;
    -- for the runner, which asks whether every reason in the sources was given by some test
    if current_setting('build.record', true) = 'on' and v_said.answer ? 'reason' then
        raise info 'reason: % % %', p_what, v_said.outcome, v_said.answer #>> '{reason,code}';
    end if;
    return row (v_said.outcome, v_said.answer #>> '{reason,code}', (v_said.answer ->> 'seq')::bigint, v_said.answer);
end
$$;

create function build.subject(p_kind text, p_ref text)
returns uuid
language sql
as $$
    select s.subject_id from road.subject s where s.kind = p_kind and s.ref = p_ref
$$;

-- What a screen that is up to date says it saw: the last play, and the schedule's version.
create function build.saw(p_ref text default 'final')
returns jsonb
language sql
as $$
    select jsonb_build_object(
        'play', (select nullif(s.last_play_seq, 0) from road.subject s where s.kind = 'fixture' and s.ref = p_ref),
        'rows', jsonb_build_object('fixture/' || p_ref || '/schedule', (
            select h.changed_seq from sport.fixture_schedule h where h.fixture_id = build.subject('fixture', p_ref))))
$$;

create function build.event(p_ref text default 'cup', p_settings jsonb default '{}')
returns text
language plpgsql
as $$
begin
    perform build.sender();
    if build.subject('event', p_ref) is null
        and (build.command('event.create', p_ref, jsonb_build_object('name', p_ref, 'settings', p_settings))).outcome <> 'accepted' then
        raise exception 'builders: event % was not accepted', p_ref;
    end if;
    return p_ref;
end
$$;

-- Creates or edits a fixture of an event, with the version that is there; gives "accepted" or "refused CODE".
create function build.put(
    p_more jsonb default '{}', p_ref text default 'final', p_event text default 'cup')
returns text
language sql
as $$
    select build.brief(build.command(
        'event.fixture_put', p_event,
        jsonb_build_object('fixture', p_ref, 'sport', 'football', 'home', 'Reds', 'away', 'Blues') || p_more,
        build.saw(p_ref)))
$$;

create function build.fixture(
    p_ref text default 'final', p_settings jsonb default '{}', p_event text default 'cup', p_sport text default 'football')
returns text
language plpgsql
as $$
declare
    v_said text;
begin
    perform build.event(p_event);
    v_said := build.put(jsonb_build_object('settings', p_settings, 'sport', p_sport), p_ref, p_event);
    if v_said <> 'accepted' then
        raise exception 'builders: fixture % was %', p_ref, v_said;
    end if;
    return p_ref;
end
$$;

create function build.play(p_code text, p_input jsonb, p_ref text default 'final')
returns text
language sql
as $$
    select build.brief(build.command('football.' || p_code, p_ref, p_input, build.saw(p_ref)))
$$;

-- Several plays that must be accepted: build.plays('final', '[["goal", {"side": "home", "minute": 3}], …]')
create function build.plays(p_ref text, p_plays jsonb)
returns text
language plpgsql
as $$
declare
    v_play jsonb;
    v_said text;
begin
    for v_play in select e.value from jsonb_array_elements(p_plays) with ordinality e (value, nth) order by e.nth loop
        v_said := build.play(v_play ->> 0, v_play -> 1, p_ref);
        if v_said <> 'accepted' then
            raise exception 'builders: % was %', v_play, v_said;
        end if;
    end loop;
    return p_ref;
end
$$;

create function build.running_fixture(p_ref text default 'final', p_settings jsonb default '{}')
returns text
language sql
as $$
    select build.plays(build.fixture(p_ref, p_settings), '[["period_start", {"period": "H1"}]]')
$$;

-- Level after ninety minutes.
create function build.level_fixture(p_ref text default 'final', p_settings jsonb default '{}')
returns text
language sql
as $$
    select build.plays(build.running_fixture(p_ref, p_settings),
        '[["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]')
$$;

create function build.shootout_fixture(p_ref text default 'final')
returns text
language sql
as $$
    select build.plays(build.level_fixture(p_ref, '{"shootout": true}'), '[["period_start", {"period": "PSO"}]]')
$$;

-- A command that edits rows, with the versions that are there: build.edit('fixture.play_void', '{"play": 3, …}').
create function build.edit(p_what text, p_input jsonb, p_ref text default 'final')
returns build.answered
language plpgsql
as $$
declare
    v_kind text := split_part(p_what, '.', 1);
    v_saw jsonb;
begin
    select jsonb_build_object('rows', coalesce(jsonb_object_agg(r.row_id, r.changed_seq), '{}'))
    into v_saw
    from road.dispatch_current(row (v_kind, split_part(p_what, '.', 2), v_kind, p_ref, build.subject(v_kind, p_ref), null, 'tester', '', 'k',
        p_input, null, null, null, 0, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r;
    return build.command(p_what, p_ref, p_input, v_saw);
end
$$;

create function build.edited(p_what text, p_input jsonb, p_ref text default 'final')
returns text
language sql
as $$
    select build.brief(build.edit(p_what, p_input, p_ref))
$$;

-- Eleven start (A1 to A11 or B1 to B11, the first keeps goal), seven sit on the bench (A12 …), one is of the staff.
create function build.lineup(p_side text, p_ref text default 'final')
returns text
language sql
as $$
    select build.edited('fixture.lineup_set', jsonb_build_object('side', p_side, 'keeper', n.letter || 1, 'staff', jsonb_build_array(n.letter || 'Coach'),
        'starters', (select jsonb_agg(n.letter || i order by i) from generate_series(1, 11) i),
        'bench', (select jsonb_agg(n.letter || i order by i) from generate_series(12, 18) i)), p_ref)
    from (values (case p_side when 'home' then 'A' else 'B' end)) n (letter)
$$;

-- A fixture in its first half whose line-ups are known.
create function build.lined_up(p_ref text default 'final', p_settings jsonb default '{}')
returns text
language plpgsql
as $$
begin
    perform build.fixture(p_ref, p_settings);
    if build.lineup('home', p_ref) <> 'accepted' or build.lineup('away', p_ref) <> 'accepted' then
        raise exception 'builders: the line-ups were not accepted';
    end if;
    return build.plays(p_ref, '[["period_start", {"period": "H1"}]]');
end
$$;

-- The last play's number.
create function build.last(p_ref text default 'final')
returns bigint
language sql
as $$
    select s.last_play_seq from road.subject s where s.kind = 'fixture' and s.ref = p_ref
$$;

create function build.verified(p_ref text default 'final')
returns text
language sql
as $$
    select sport.fixture_verify(build.subject('fixture', p_ref))
$$;

create function build.state(p_ref text default 'final')
returns jsonb
language sql
as $$
    select c.state from sport.fixture_score c where c.fixture_id = build.subject('fixture', p_ref)
$$;

-- Sets the clock that everything which expires is compared with.
create function build.clock(p_now timestamptz)
returns void
language plpgsql
as $$
begin
    execute format('create or replace function road.now() returns timestamptz language sql volatile as %L', format('select %L::timestamptz', p_now));
end
$$;
