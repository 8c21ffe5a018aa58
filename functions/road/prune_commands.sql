-- Deletes command rows whose key has expired, oldest first; those that another session is at are left to it. Every 64th
-- accepted command of a subject calls it, so that the table keeps pace with no job running.
create or replace function road.prune_commands(p_limit integer)
returns bigint
language plpgsql
volatile
as $$
declare
    v_now timestamptz := road.now(); -- taken first: an index cannot be searched with a volatile function
    v_pruned bigint;
begin
    with expired as materialized (
        select k.ctid as tid
        from road.command k
        where k.expires_at <= v_now
        order by k.expires_at
        limit p_limit
        for update of k skip locked
    )
    delete from road.command k
    where k.ctid = any (array(select e.tid from expired e));
    get diagnostics v_pruned = row_count;
    return v_pruned;
end
$$;
comment on function road.prune_commands(integer) is 'Deletes at most p_limit command rows whose key has expired and returns how many.';
