begin;
\ir ../builders.sql
select plan(5);

select road.record_install(repeat('ab', 32));
select is((select code_hash from road.installed_code order by installed_at desc limit 1), repeat('ab', 32), 'the newest row says what is in force');
select is((select installed_by from road.installed_code order by installed_at desc limit 1), session_user::text, 'and who installed it');
select is((select count(*) from road.installed_function),
    (select count(*) from pg_proc p where p.pronamespace in ('road'::regnamespace, 'sport'::regnamespace)), 'every function is remembered');
select is((select definition from road.installed_function where signature = 'road.now()'), pg_get_functiondef('road.now()'::regprocedure), 'as it is now');
select throws_ok($$select road.record_install('short')$$, '23514', null, 'a hash has its form');

select * from finish();
rollback;
