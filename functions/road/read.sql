-- One read, one snapshot: the view, the subject's numbers and the feed position from which a stream goes on. Stable, so
-- everything below sees what the calling statement sees.
-- raises: UM002 no such subject or view; UM003 a parameter that cannot be; UM007 a view that is not open to this sender
create or replace function road.read(
    p_kind text,
    p_ref text,
    p_view text default 'state',
    p_after text default null,
    p_max_items integer default 100,
    p_sender text default null)
returns jsonb
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_subject record;
    v_ref text := p_ref;
    v_view jsonb;
    v_open boolean;
begin
    if p_max_items is null or p_max_items not between 1 and 500 then
        raise exception using errcode = 'UM003', message = 'limit is a number from 1 to 500';
    end if;
    if p_ref ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
        select s.ref into v_ref from road.subject s where s.subject_id = p_ref::uuid and s.kind = p_kind;
    end if;
    select s.subject_id, s.parent_id, s.last_seq, s.last_play_seq, s.lock_rank, s.kind, s.ref
    into v_subject
    from road.subject s
    where s.kind = p_kind and s.ref = v_ref;
    if not found then
        raise exception using errcode = 'UM002', message = 'there is no such subject';
    end if;
    select v.open into v_open from road.catalogue_view v where v.kind = p_kind and v.view = p_view;
    if not found then
        raise exception using errcode = 'UM002', message = 'there is no such view';
    elsif not v_open and not exists (
        select from road.sender d
        where d.sender = p_sender and d.disabled_at is null and d.may_read_log
            and (d.events is null or road.may_touch(d.events, v_subject.parent_id, v_subject.ref))
    ) then
        raise exception using errcode = 'UM007', message = 'this view is for senders that may read logs';
    end if;
    v_view := road.dispatch_view(p_view, row (p_kind, v_subject.ref, v_subject.subject_id, p_after, p_max_items)::road.query);
    return jsonb_build_object(
        'subject', jsonb_build_object('kind', v_subject.kind, 'id', v_subject.subject_id, 'ref', v_subject.ref),
        'seq', v_subject.last_seq,
        'revision', road.revision(v_subject.subject_id, v_subject.last_seq),
        'last_play', nullif(v_subject.last_play_seq, 0),
        'position', (select road.position(i.system_identifier, i.timeline, l.xid, l.id) from road.cluster_identity() i, road.last_position() l),
        'view', p_view,
        'data', v_view);
end
$$;
comment on function road.read(text, text, text, text, integer, text) is 'A subject''s view as the API gives it. p_ref: uuid or reference; p_after: where a page goes on (the last page''s next); p_max_items: 1 to 500; p_sender: who reads, needed for views that are not open. position: the feed position that belongs to this snapshot.';
