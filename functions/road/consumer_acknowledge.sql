-- Moves forward only: an acknowledgement that comes twice, or late, changes nothing.
-- locks: the consumer's row
-- raises: UM002, UM007, UM020, UM021 (consumer_of); UM003 no position, or one that nobody can have read yet
create or replace function road.consumer_acknowledge(p_sender text, p_consumer text, p_position text)
returns jsonb
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_consumer road.consumer := road.consumer_of(p_sender, p_consumer);
    v_xid xid8;
    v_id bigint;
begin
    select r.xid, r.id into v_xid, v_id from road.parse_position(p_position) r;
    if v_xid >= pg_snapshot_xmin(pg_current_snapshot()) then
        raise exception using errcode = 'UM003', message = 'nobody can have read up to this position yet';
    end if;
    update road.consumer c
    set top_id = greatest(c.top_id, (
            select max(n.id) from road.note n
            where (n.xid, n.id) > (c.xid, c.id) and (n.xid, n.id) <= (v_xid, v_id))),
        xid = v_xid, id = v_id, acknowledged_at = road.now()
    where c.consumer = v_consumer.consumer and c.expired_at is null and (c.xid, c.id) < (v_xid, v_id);
    return road.consumer_state(road.consumer_of(p_sender, p_consumer));
end
$$;
comment on function road.consumer_acknowledge(text, text, text) is 'Says that every note up to the position is safe with the consumer. p_sender null = an operator.';
