-- Deletes command rows whose key has expired, oldest first; those that another session is at are left to it. Every 64th
-- accepted command of a subject calls it, so that the table keeps pace with no job running.
create or replace function road.prune_commands(p_limit integer)
returns bigint
language plpgsql
volatile
as $$
declare
    v_pruned bigint;
begin
    with expired as (
        select k.sender, k.actor, k.command_id
        from road.command k
        where k.expires_at <= road.now()
        order by k.expires_at
        limit p_limit
        for update of k skip locked
    )
    delete from road.command k
    using expired e
    where k.sender = e.sender and k.actor = e.actor and k.command_id = e.command_id;
    get diagnostics v_pruned = row_count;
    return v_pruned;
end
$$;
comment on function road.prune_commands(integer) is 'Deletes at most p_limit command rows whose key has expired and returns how many.';
