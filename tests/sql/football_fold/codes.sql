begin;
\ir ../builders.sql
select plan(3);

select throws_ok($$select sport.football_fold('{}', '{"code": "hattrick"}')$$, '20000', null, 'a play without a fold is an error, not silence');
select is((select count(*) from road.catalogue_command c where c.workflow = 'football'
    and position(format('when %L then', c.code) in pg_get_functiondef('sport.football_fold(jsonb,jsonb)'::regprocedure)) = 0), 0::bigint, 'every command of football has an arm');
select is((select count(*) from pg_proc p where p.pronamespace = 'sport'::regnamespace and p.proname like 'football%' and p.provolatile <> 'i'), 0::bigint, 'all of it is pure');

select * from finish();
rollback;
