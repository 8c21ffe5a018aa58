-- Says whose value counts: the order of the sources of one field group, and who may claim for them. Decided anew wherever
-- it is read, so nothing else is written. Who sends for whom is not public.
-- locks: none of its own (the road holds the event)      refuses: source_not_in_order
create or replace function sport.event_sources_set(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
declare
    v_source text;
begin
    select s.source into v_source
    from jsonb_object_keys(cmd.input -> 'senders') s (source)
    where not cmd.input -> 'order' ? s.source
    order by s.source
    limit 1;
    if found then
        perform road.refuse('source_not_in_order', 'Senders are given for a source that the order does not name.', jsonb_build_object('source', v_source));
    end if;

    insert into sport.event_sources (event_id, field_group, changed_seq, sources, senders)
    values (cmd.subject_id, cmd.input ->> 'group', cmd.seq, array(
        select o.source from jsonb_array_elements_text(cmd.input -> 'order') with ordinality o (source, nth) order by o.nth),
        coalesce(cmd.input -> 'senders', '{}'))
    on conflict (event_id, field_group) do update
    set changed_seq = excluded.changed_seq, sources = excluded.sources, senders = excluded.senders;
    return jsonb_build_object(
        'result', jsonb_build_object('rows', jsonb_build_object('event/' || cmd.ref || '/sources/' || (cmd.input ->> 'group'), cmd.seq)),
        'note', cmd.input - 'senders');
end
$$;
comment on function sport.event_sources_set(road.call) is 'Handler of event.sources_set.';
