begin;
\ir ../builders.sql
select plan(3);

select is(sport.fixture_fold('football', '{}', '{"code": "period_start", "period": "H1"}') ->> 'status', 'running', 'football has its fold');
select throws_ok($$select sport.fixture_fold('quidditch', '{}', '{"code": "goal"}')$$, '20000', null, 'a sport without one is an error, not silence');
select is((select count(*) from road.workflow w join road.catalogue_command c using (workflow) where c.handler = 'sport.fixture_play'
    and position(format('when %L then', w.workflow) in pg_get_functiondef('sport.fixture_fold(text,jsonb,jsonb)'::regprocedure)) = 0), 0::bigint, 'every sport with plays has an arm');

select * from finish();
rollback;
