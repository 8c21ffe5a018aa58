-- raises: UM002 no such sender; UM003 for system, without which the server cannot do its own work
create or replace function road.sender_disable(p_sender text)
returns void
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if p_sender = 'system' then
        raise exception using errcode = 'UM003', message = 'system is the server itself and is not shut out';
    end if;
    update road.sender d
    set disabled_at = coalesce(d.disabled_at, road.now())
    where d.sender = p_sender;
    if not found then
        raise exception using errcode = 'UM002', message = format('there is no sender %s', p_sender);
    end if;
end
$$;
comment on function road.sender_disable(text) is 'Shuts a sender out; its next command is refused sender_unknown. Doing it twice changes nothing.';
