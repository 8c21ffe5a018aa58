-- What has not started may be given another start; what was broken off may not.
begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
select build.edited('fixture.status_set', '{"status": "postponed"}');
select is(build.put('{"starts_at": "2030-01-01T12:00:00Z"}'), 'accepted', 'postponed');
select build.edited('fixture.status_set', '{"status": "scheduled"}');
select build.plays('final', '[["period_start", {"period": "H1"}]]');
select build.edited('fixture.status_set', '{"status": "suspended"}');
select is(build.put('{"starts_at": "2031-01-01T12:00:00Z"}'), 'refused already_started', 'suspended');
select is(build.put('{"starts_at": "2030-01-01T12:00:00Z", "venue": "Elsewhere"}'), 'accepted', 'its venue may change');

select * from finish();
rollback;
