-- Says whose value counts: the order of the sources of one field group. Decided anew wherever it is read, so nothing else
-- is written.
-- locks: none of its own (the road holds the event)      refuses: nothing
create or replace function sport.event_sources_set(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
begin
    insert into sport.event_sources (event_id, field_group, changed_seq, sources)
    values (cmd.subject_id, cmd.input ->> 'group', cmd.seq, array(
        select o.source from jsonb_array_elements_text(cmd.input -> 'order') with ordinality o (source, nth) order by o.nth))
    on conflict (event_id, field_group) do update
    set changed_seq = excluded.changed_seq, sources = excluded.sources;
    return jsonb_build_object(
        'result', jsonb_build_object('rows', jsonb_build_object('event/' || cmd.ref || '/sources/' || (cmd.input ->> 'group'), cmd.seq)),
        'note', cmd.input);
end
$$;
comment on function sport.event_sources_set(road.call) is 'Handler of event.sources_set.';
