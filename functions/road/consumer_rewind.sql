-- locks: the feed's row against pruning, the consumer's row
-- raises: UM002, UM007, UM020 (consumer_of); UM003 no position, or one ahead of the consumer; UM021 a position that is no
-- longer kept
create or replace function road.consumer_rewind(p_sender text, p_consumer text, p_position text default null)
returns jsonb
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_consumer road.consumer := road.consumer_of(p_sender, p_consumer, true);
    v_pruned_xid xid8;
    v_pruned_id bigint;
    v_xid xid8;
    v_id bigint;
begin
    select f.pruned_xid, f.pruned_id into v_pruned_xid, v_pruned_id from road.feed f for share;
    if p_position is null then
        v_xid := v_pruned_xid;
        v_id := v_pruned_id;
    else
        select r.xid, r.id into v_xid, v_id from road.parse_position(p_position) r;
        if (v_xid, v_id) < (v_pruned_xid, v_pruned_id) then
            raise exception using errcode = 'UM021', message = 'the notes after this position were pruned; the oldest that can be had is start';
        elsif v_consumer.expired_at is null and (v_xid, v_id) > (v_consumer.xid, v_consumer.id) then
            raise exception using errcode = 'UM003', message = 'a consumer is rewound to a position behind it; acknowledge moves it forward';
        elsif v_xid >= pg_snapshot_xmin(pg_current_snapshot()) then
            raise exception using errcode = 'UM003', message = 'nobody can have read up to this position yet';
        end if;
    end if;
    update road.consumer c
    set xid = v_xid, id = v_id, acknowledged_at = road.now(), expired_at = null,
        top_id = coalesce((select max(n.id) from road.note n where (n.xid, n.id) <= (v_xid, v_id)), 0)
    where c.consumer = v_consumer.consumer;
    return road.consumer_state(road.consumer_of(p_sender, p_consumer));
end
$$;
comment on function road.consumer_rewind(text, text, text) is 'Moves a consumer back to a position, or with null to the oldest note that is kept; makes an expired one live again. p_sender null = an operator.';
