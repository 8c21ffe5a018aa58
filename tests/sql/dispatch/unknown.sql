begin;
\ir ../builders.sql
select plan(2);

select throws_ok($$select road.dispatch(row ('no', 'such', 'fixture', 'x', null, null, 's', '', 'k', '{}'::jsonb, null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call)$$, 'UM006', null, 'a command without a handler is an error, never silence');
select is((select count(*) from road.catalogue_command c where c.handler is not null and position(format('if v_key = %L then', c.workflow || '.' || c.code) in pg_get_functiondef('road.dispatch(road.call)'::regprocedure)) = 0), 0::bigint, 'every command that has one has an arm');

select * from finish();
rollback;
