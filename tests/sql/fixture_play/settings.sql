-- The settings in force at the first play are the fixture's for good.
begin;
\ir ../builders.sql
select plan(3);

select build.event('league', '{"extra_time": true, "shootout": true}');
select build.put('{"settings": {"extra_time": false}}', 'semi', 'league');
select build.plays('semi', '[["period_start", {"period": "H1"}]]');
select is(build.state('semi') -> 'settings', '{"extra_time": false, "shootout": true}', 'the event''s, unless the fixture says otherwise');
select build.put('{"settings": {"extra_time": true}}', 'semi', 'league');
select build.plays('semi', '[["period_end", {"period": "H1"}]]');
select is(build.state('semi') -> 'settings', '{"extra_time": false, "shootout": true}', 'a later edit does not change the fold');
select is(sport.fixture_verify(build.subject('fixture', 'semi')), null, 'so that a replay gives the same');

select * from finish();
rollback;
