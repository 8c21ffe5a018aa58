begin;
\ir ../builders.sql
select plan(6);

create function build.status(p_ref text) returns text language sql as $$select t.status from sport.fixture_status t where t.fixture_id = build.subject('fixture', p_ref)$$;
select build.level_fixture('none');
select build.level_fixture('extra', '{"extra_time": true}');
select build.level_fixture('kicks', '{"shootout": true}');
select is(build.status('none'), 'finished', 'level, and nothing can follow: a draw');
select is(build.status('extra'), 'running', 'extra time follows');
select is(build.status('kicks'), 'running', 'a shoot-out follows');
select build.plays('extra', '[["period_start", {"period": "ET1"}], ["goal", {"side": "home", "minute": 91}], ["period_end", {"period": "ET1"}], ["period_start", {"period": "ET2"}]]');
select is(build.status('extra'), 'running', 'a goal in ET1 does not end it');
select build.plays('extra', '[["period_end", {"period": "ET2"}]]');
select is(build.status('extra'), 'finished', 'ET2 does');
select build.plays('kicks', '[["period_start", {"period": "PSO"}]]');
select is(build.play('period_end', '{"period": "PSO"}', 'kicks'), 'refused not_decided', 'football.period_end refuses not_decided');

select * from finish();
rollback;
