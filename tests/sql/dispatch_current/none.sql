begin;
\ir ../builders.sql
select plan(2);

select is_empty($$select road.dispatch_current(row ('fixture', 'note', 'fixture', 'x', null, null, 's', '', 'k', '{}'::jsonb, null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call)$$, 'a command that asks for no version has no rows');
select is((select count(*) from road.catalogue_command c where c.current is not null and position(format('if v_key = %L then', c.workflow || '.' || c.code) in pg_get_functiondef('road.dispatch_current(road.call)'::regprocedure)) = 0), 0::bigint, 'every command that has one has an arm');

select * from finish();
rollback;
