create or replace function road.sender_by_token(p_token_sha256 bytea)
returns table (sender text, workflows text[], events text[], may_act boolean, may_read_log boolean)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select d.sender, d.workflows, d.events, d.may_act, d.may_read_log
    from road.sender d
    where d.disabled_at is null
        and (d.token_sha256 = p_token_sha256 or (d.old_token_sha256 = p_token_sha256 and d.old_token_until > road.now()))
$$;
comment on function road.sender_by_token(bytea) is 'Whose token this is, with its scopes; no row when it is nobody''s or no longer valid.';
