begin;
\ir ../builders.sql
select plan(2);

select road.lock_key(42);
select is((select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted), 1::bigint, 'C-012: holds the key until the transaction ends');
select is((select proconfig from pg_proc where oid = 'road.lock_key(bigint)'::regprocedure), array['lock_timeout=200ms'], 'it is a second lock, so it is never waited for long');

select * from finish();
rollback;
