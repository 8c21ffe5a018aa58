-- Failures stay when the key succeeds in the end: each is a fault of a program, and a retry that got through does not mend
-- it. What became of the key says whether a sender still waits.
create or replace function road.failure_list(p_open_only boolean default false, p_limit integer default 100)
returns table (
    sender text, actor text, command_id text, workflow text, code text, attempts integer, sqlstate text, last_error text,
    first_at timestamptz, last_at timestamptz, became text, became_at timestamptz)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select f.sender, f.actor, f.command_id, f.workflow, f.code, f.attempts, f.sqlstate, f.last_error, f.first_at, f.last_at, k.outcome, k.finished_at
    from road.command_failure f
    left join road.command k on k.sender = f.sender and k.actor = f.actor and k.command_id = f.command_id and k.expires_at > road.now()
    where k.outcome is null or not p_open_only
    order by f.last_at desc
    limit p_limit
$$;
comment on function road.failure_list(boolean, integer) is 'Commands that broke, the latest first, and what became of each: accepted or refused when a retry got through (became_at), null when nothing is saved under the key (yet, or any more). p_open_only: those alone. An accepted one that broke after that (key_reused of a fact) has last_at after became_at.';
