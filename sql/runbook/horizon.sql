-- Who holds the horizon: every reader of notes waits for the oldest open transaction that has a transaction id, in any
-- database of the server, prepared transactions included. Run as umpire_ops (or a superuser): psql -f sql/runbook/horizon.sql
-- The first row is the one to look at. A session is ended with unblock.sql (pid, backend_start); a prepared transaction
-- with COMMIT PREPARED or ROLLBACK PREPARED 'gid', in its own database, by whoever prepared it or a superuser. Replication
-- slots and sessions that only read hold nothing up here.
select
    row_number() over (order by age(h.xid) desc) = 1 as holds_the_horizon,
    h.what,
    h.pid,
    h.gid,
    h.database,
    h.role,
    h.application,
    h.state,
    date_trunc('milliseconds', clock_timestamp() - h.since) as age,
    h.xid,
    h.query,
    h.backend_start::text as backend_start
from (
    select
        'session' as what, a.pid, null as gid, a.datname::text as database, a.usename::text as role, a.application_name as application, a.state,
        a.xact_start as since, a.backend_xid as xid, left(regexp_replace(a.query, '\s+', ' ', 'g'), 80) as query, a.backend_start
    from pg_stat_activity a
    where a.backend_xid is not null
    union all
    select
        'prepared transaction', null, p.gid, p.database::text, p.owner::text, null, 'prepared',
        p.prepared, p.transaction, null, null
    from pg_prepared_xacts p
) h
order by age(h.xid) desc;
