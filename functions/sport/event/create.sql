-- Creates an event.
-- locks: none of its own (nobody else can see the event yet)      refuses: dates_reversed
create or replace function sport.event_create(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
declare
    v_starts_on date := cmd.input ->> 'starts_on';
    v_ends_on date := cmd.input ->> 'ends_on';
    v_settings jsonb := coalesce(cmd.input -> 'settings', '{}');
begin
    if v_ends_on < v_starts_on then
        perform road.refuse('dates_reversed', 'The last day is before the first.');
    end if;

    insert into sport.event (event_id, changed_seq, name, starts_on, ends_on, settings)
    values (cmd.subject_id, cmd.seq, cmd.input ->> 'name', v_starts_on, v_ends_on, v_settings);

    return jsonb_build_object('result', '{}'::jsonb, 'note', cmd.input);
end
$$;
comment on function sport.event_create(road.call) is 'Handler of event.create.';
