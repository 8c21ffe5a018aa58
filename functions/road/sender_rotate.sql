-- raises: UM002 no such sender; UM003 for system, which has no token
create or replace function road.sender_rotate(p_sender text, p_token_sha256 bytea, p_overlap interval default interval '1 hour')
returns timestamptz
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_until timestamptz;
begin
    if p_sender = 'system' then
        raise exception using errcode = 'UM003', message = 'system is the server itself and has no token';
    end if;
    update road.sender d
    set token_sha256 = p_token_sha256,
        old_token_sha256 = d.token_sha256,
        old_token_until = road.now() + p_overlap
    where d.sender = p_sender
    returning d.old_token_until into v_until;
    if not found then
        raise exception using errcode = 'UM002', message = format('there is no sender %s', p_sender);
    end if;
    return v_until;
end
$$;
comment on function road.sender_rotate(text, bytea, interval) is 'Gives a sender a new token; the present one stays valid for p_overlap, one older than that stops now. Returns until when.';
