-- raises: UM007 the sender may not read logs
create or replace function road.consumer_list(p_sender text default null)
returns jsonb
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_list jsonb;
begin
    if p_sender is not null and not exists (select from road.sender d where d.sender = p_sender and d.disabled_at is null and d.may_read_log) then
        raise exception using errcode = 'UM007', message = 'consumers are for senders that may read logs';
    end if;
    select coalesce(jsonb_agg(road.consumer_state(c) order by c.consumer), '[]')
    into v_list
    from road.consumer c
    where p_sender is null or c.sender = p_sender;
    return v_list;
end
$$;
comment on function road.consumer_list(text) is 'A sender''s consumers with their lag; null = all, for operators.';
