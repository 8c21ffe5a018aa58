begin;
\ir ../builders.sql
select plan(2);

select is(road.dispatch_view('no', row ('fixture', 'x', null, null, 1)::road.query), null, 'no such view: null');
select is((select count(*) from road.catalogue_view v where position(format('if v_key = %L then', v.kind || '/' || v.view) in pg_get_functiondef('road.dispatch_view(text,road.query)'::regprocedure)) = 0), 0::bigint, 'every view of the catalogue has an arm');

select * from finish();
rollback;
