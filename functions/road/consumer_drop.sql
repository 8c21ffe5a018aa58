-- raises: UM002 no such consumer of this sender; UM007 the sender may not read logs
create or replace function road.consumer_drop(p_sender text, p_consumer text)
returns void
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_sender is not null and not exists (select from road.sender d where d.sender = p_sender and d.disabled_at is null and d.may_read_log) then
        raise exception using errcode = 'UM007', message = 'consumers are for senders that may read logs';
    end if;
    delete from road.consumer c
    where c.consumer = p_consumer and (p_sender is null or c.sender = p_sender);
    if not found then
        raise exception using errcode = 'UM002', message = 'there is no such consumer';
    end if;
end
$$;
comment on function road.consumer_drop(text, text) is 'Forgets a consumer; notes are no longer kept for it. p_sender null = an operator.';
