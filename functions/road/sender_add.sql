-- raises: UM003 when the sender exists
create or replace function road.sender_add(
    p_sender text, p_token_sha256 bytea, p_workflows text[] default null, p_events text[] default null,
    p_may_act boolean default false, p_may_read_log boolean default false)
returns void
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_unknown text;
begin
    select w.workflow into v_unknown
    from unnest(p_workflows) w (workflow)
    where not exists (select from road.workflow k where k.workflow = w.workflow)
    limit 1;
    if found then
        raise exception using errcode = 'UM003', message = format('there is no workflow %s', v_unknown);
    end if;
    if exists (select from road.sender d where d.sender = p_sender) then
        raise exception using errcode = 'UM003', message = format('there is a sender %s already; names are not used twice, because keys belong to them', p_sender);
    end if;
    insert into road.sender (sender, token_sha256, workflows, events, may_act, may_read_log)
    values (p_sender, p_token_sha256, p_workflows, p_events, p_may_act, p_may_read_log);
end
$$;
comment on function road.sender_add(text, bytea, text[], text[], boolean, boolean) is 'Adds a sender. The token itself is made, shown once and forgotten by the caller. null workflows or events = all.';
