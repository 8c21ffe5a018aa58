begin;
\ir ../builders.sql
select plan(8);

select build.clock('2030-01-01 12:00+00');
select build.sender('provider');
select is(road.sender_rotate('provider', sha256('second')), '2030-01-01 13:00+00'::timestamptz, 'the old token lives one hour on');
select is((select sender from road.sender_by_token(sha256('provider'))), 'provider', 'it still works');
select is((select sender from road.sender_by_token(sha256('second'))), 'provider', 'so does the new one');
select is(road.sender_rotate('provider', sha256('third'), interval '0'), '2030-01-01 12:00+00'::timestamptz, 'or not at all');
select is((select count(*) from road.sender_by_token(sha256('provider'))), 0::bigint, 'a second rotation ends the oldest at once');
select is((select count(*) from road.sender_by_token(sha256('second'))), 0::bigint, 'and this time the one before');
select is((select sender from road.sender_by_token(sha256('third'))), 'provider', 'the newest works');
select throws_ok($$select road.sender_rotate('nobody', sha256('x'))$$, 'UM002', null, 'nobody has no token');

select * from finish();
rollback;
