begin;
\ir ../builders.sql
select plan(2);

select is(road.dispatch_locks(row ('fixture', 'note', 'fixture', 'x', null, null, 's', '', 'k', '{}'::jsonb, null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call), null, 'a command without a lock function asks for nothing');
select is((select count(*) from road.catalogue_command c where c.locks is not null and position(format('if v_key = %L then', c.workflow || '.' || c.code) in pg_get_functiondef('road.dispatch_locks(road.call)'::regprocedure)) = 0), 0::bigint, 'every command that has one has an arm');

select * from finish();
rollback;
