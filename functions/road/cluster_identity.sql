-- Which cluster this is. The timeline is that of the WAL being written now: the control file learns of a promotion only
-- with the next checkpoint.
create or replace function road.cluster_identity(out system_identifier bigint, out timeline integer)
returns record
language sql
stable
as $$
    select
        s.system_identifier,
        case
            when pg_catalog.pg_is_in_recovery() then (select c.timeline_id from pg_catalog.pg_control_checkpoint() c)
            else ('x' || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::integer
        end
    from pg_catalog.pg_control_system() s
$$;
comment on function road.cluster_identity() is 'The cluster and the timeline in which transaction ids mean something right now.';
