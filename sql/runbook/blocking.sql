-- Who blocks whom, longest wait first. Run as umpire_ops (or a superuser): psql -f sql/runbook/blocking.sql
-- A session on the road says in application_name what it does: pool, workflow.code, sender, subject. A blocker without a
-- command is somebody else's session: look at its state and query.
-- To end a blocker: psql -v pid=PID -v backend_start='STARTED' -f sql/runbook/unblock.sql
select
    w.pid as blocked_pid,
    wc.part[1] as blocked_command,
    wc.part[3] as blocked_subject,
    wc.part[2] as blocked_sender,
    date_trunc('milliseconds', clock_timestamp() - coalesce(l.waitstart, w.query_start)) as blocked_for,
    b.pid as blocking_pid,
    bc.part[1] as blocking_command,
    bc.part[3] as blocking_subject,
    bc.part[2] as blocking_sender,
    date_trunc('milliseconds', clock_timestamp() - b.xact_start) as blocking_age,
    b.state as blocking_state,
    b.usename as blocking_user,
    left(regexp_replace(b.query, '\s+', ' ', 'g'), 80) as blocking_query,
    b.backend_start::text as blocking_backend_start
from pg_stat_activity w
cross join lateral (select distinct u.pid from unnest(pg_blocking_pids(w.pid)) u (pid)) p
join pg_stat_activity b on b.pid = p.pid
left join lateral regexp_match(w.application_name, '^\S+ ([a-z_]+\.[a-z_]+) (\S+) (\S+)$') wc (part) on true
left join lateral regexp_match(b.application_name, '^\S+ ([a-z_]+\.[a-z_]+) (\S+) (\S+)$') bc (part) on true
left join lateral (
    select min(k.waitstart) as waitstart from pg_locks k where k.pid = w.pid and not k.granted
) l on true
where w.datname = current_database()
order by blocked_for desc, blocked_pid, blocking_pid;
