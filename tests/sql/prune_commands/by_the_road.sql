begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
select count(build.command('fixture.note', 'final', '{"text": "old"}', p_key => 'old-' || i)) from generate_series(1, 62) i;
select build.clock(road.now() + interval '31 days');
select is((select count(*) from road.command k where k.expires_at <= road.now()), 64::bigint, 'event, fixture and 62 lines have expired');
select build.command('fixture.note', 'final', '{"text": "new"}', p_key => 'the 64th');
select is((select count(*) from road.command), 1::bigint, 'the 64th command of the subject prunes them');

select * from finish();
rollback;
