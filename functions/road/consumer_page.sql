-- The next notes of a consumer, or of a range that is replayed; moves nothing. One statement reads page and horizon. A
-- page is counted before the sender's scope is applied: it may have no items and still lead on.
-- raises: UM002, UM007, UM020, UM021 (consumer_of); UM003 a limit or position that cannot be; UM021 the notes were pruned
create or replace function road.consumer_page(
    p_sender text, p_consumer text, p_limit integer default 100, p_after text default null, p_until text default null)
returns jsonb
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_consumer road.consumer := road.consumer_of(p_sender, p_consumer);
    v_xid xid8 := v_consumer.xid;
    v_id bigint := v_consumer.id;
    v_until_xid xid8;
    v_until_id bigint;
begin
    if p_limit is null or p_limit not between 1 and 500 then
        raise exception using errcode = 'UM003', message = 'limit is a number from 1 to 500';
    end if;
    if p_after is not null then
        select r.xid, r.id into v_xid, v_id from road.parse_position(p_after) r;
    end if;
    if p_until is not null then
        select r.xid, r.id into v_until_xid, v_until_id from road.parse_position(p_until) r;
    end if;
    if exists (select from road.feed f where (f.pruned_xid, f.pruned_id) > (v_xid, v_id)) then
        raise exception using errcode = 'UM021', message = 'the notes after this position were pruned; begin at start and read the state again';
    end if;
    return (
        with page as (
            select n.note_xid, n.note_id, n.kind, n.ref, n.subject_id, n.seq, n.at, n.workflow, n.code, n.body, s.parent_id
            from road.notes(v_xid, v_id, p_limit) n
            join road.subject s on s.subject_id = n.subject_id
            where p_until is null or (n.note_xid, n.note_id) <= (v_until_xid, v_until_id)
        ),
        shown as (
            select g.note_xid, g.note_id, jsonb_build_object(
                'position', road.position(v_consumer.system_identifier, v_consumer.timeline, g.note_xid, g.note_id),
                'subject', jsonb_build_object('kind', g.kind, 'id', g.subject_id, 'ref', g.ref),
                'event', coalesce(p.ref, g.ref),
                'seq', g.seq, 'at', g.at, 'workflow', g.workflow, 'code', g.code, 'note', g.body) as item
            from page g
            left join road.subject p on p.subject_id = g.parent_id
            join road.sender d on d.sender = v_consumer.sender
            where d.events is null or road.may_touch(d.events, g.parent_id, g.ref)
        )
        select jsonb_build_object(
            'consumer', v_consumer.consumer,
            'after', road.position(v_consumer.system_identifier, v_consumer.timeline, v_xid, v_id),
            'next', (
                select road.position(v_consumer.system_identifier, v_consumer.timeline, g.note_xid, g.note_id)
                from page g
                order by g.note_xid desc, g.note_id desc
                limit 1),
            'more', (select count(*) from page) = p_limit,
            'items', coalesce((select jsonb_agg(w.item order by w.note_xid, w.note_id) from shown w), '[]')));
end
$$;
comment on function road.consumer_page(text, text, integer, text, text) is 'The notes after the consumer''s position, or between two positions. next: what to acknowledge once all items are safe; null when there is nothing new. p_sender null = an operator.';
