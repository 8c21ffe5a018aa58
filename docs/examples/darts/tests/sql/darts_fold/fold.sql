begin;
\ir ../builders.sql
select plan(3);

select is(sport.darts_fold('{}', '{"code": "throw_off", "side": "home"}') ->> 'turn', 'home', 'throw_off');
select is(sport.darts_fold('{}', '{"code": "nine_darter"}'), null, 'a code that it does not know gives no state, which no row can hold');
select is((select count(*) from road.catalogue_command c where c.workflow = 'darts'
    and position(format('when %L then', c.code) in pg_get_functiondef('sport.darts_fold(jsonb,jsonb)'::regprocedure)) = 0), 0::bigint, 'every command of darts has an arm');

select * from finish();
rollback;
