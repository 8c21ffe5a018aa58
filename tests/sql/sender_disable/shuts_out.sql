begin;
\ir ../builders.sql
select plan(4);

select build.sender('provider');
select build.clock('2030-01-01 12:00+00');
select road.sender_disable('provider');
select is((select disabled_at from road.sender where sender = 'provider'), '2030-01-01 12:00+00'::timestamptz, 'from now on');
select is((select count(*) from road.sender_by_token(sha256('provider'))), 0::bigint, 'its token is nobody''s');
select build.clock('2030-01-01 13:00+00');
select road.sender_disable('provider');
select is((select disabled_at from road.sender where sender = 'provider'), '2030-01-01 12:00+00'::timestamptz, 'twice changes nothing');
select throws_ok($$select road.sender_disable('nobody')$$, 'UM002', null, 'there is nobody');

select * from finish();
rollback;
