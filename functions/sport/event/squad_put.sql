-- Says whom a team may field in the event. A squad belongs to the event, not to a fixture: it is given once and every
-- line-up is checked against it.
-- locks: none of its own (the road holds the event)      refuses: twice_named
create or replace function sport.event_squad_put(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
declare
    v_members jsonb := cmd.input -> 'members';
begin
    if (select count(distinct m ->> 'person') from jsonb_array_elements(v_members) m) < jsonb_array_length(v_members) then
        perform road.refuse('twice_named', 'Somebody is named twice.');
    end if;

    insert into sport.squad (event_id, team, changed_seq, members)
    values (cmd.subject_id, cmd.input ->> 'team', cmd.seq, v_members)
    on conflict (event_id, team) do update
    set changed_seq = excluded.changed_seq, members = excluded.members;
    return jsonb_build_object(
        'result', jsonb_build_object('rows', jsonb_build_object('event/' || cmd.ref || '/squad/' || (cmd.input ->> 'team'), cmd.seq)),
        'note', cmd.input);
end
$$;
comment on function sport.event_squad_put(road.call) is 'Handler of event.squad_put.';
