-- Ends one session, named by pid and backend start, so that a pid which has meanwhile passed to somebody else is left
-- alone: psql -v pid=PID -v backend_start='STARTED' -f sql/runbook/unblock.sql (both as blocking.sql prints them).
-- It rolls back at most one command, whose sender is told to try again and resends. No row: the session has gone already.
select
    a.pid,
    a.application_name,
    pg_terminate_backend(a.pid, 5000) as ended
from pg_stat_activity a
where a.pid = :pid::integer and a.backend_start = :'backend_start'::timestamptz;
