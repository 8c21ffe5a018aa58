begin;
\ir ../builders.sql
select plan(6);

select build.level_fixture('none');
select build.level_fixture('extra', '{"extra_time": true}');
select build.level_fixture('kicks', '{"shootout": true}');
select is(build.play('period_start', '{"period": "ET1"}', 'none'), 'refused not_in_settings', 'football.period_start refuses not_in_settings: no extra time');
select is(build.play('period_start', '{"period": "PSO"}', 'none'), 'refused not_in_settings', 'no shoot-out');
select is(build.play('period_start', '{"period": "PSO"}', 'extra'), 'refused not_in_settings', 'extra time, no shoot-out');
select is(build.play('period_start', '{"period": "ET1"}', 'kicks'), 'refused not_in_settings', 'a shoot-out, no extra time');
select is(build.play('period_start', '{"period": "PSO"}', 'kicks'), 'accepted', 'straight to the shoot-out');
select is(build.play('period_start', '{"period": "ET1"}', 'extra'), 'accepted', 'extra time');

select * from finish();
rollback;
