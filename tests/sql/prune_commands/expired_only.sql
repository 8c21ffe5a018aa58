begin;
\ir ../builders.sql
select plan(5);

select build.fixture();
select count(build.command('fixture.note', 'final', '{"text": "old"}', p_key => 'old-' || i)) from generate_series(1, 5) i;
select build.clock(road.now() + interval '31 days');
select count(build.command('fixture.note', 'final', '{"text": "new"}', p_key => 'new-' || i)) from generate_series(1, 3) i;

select is(road.prune_commands(2), 2::bigint, 'never more than asked for');
select is((select count(*) from road.command k where k.expires_at <= road.now()), 5::bigint, 'the rest of the seven expired ones is for the next');
select is(road.prune_commands(128), 5::bigint, 'C-050: all that have expired');
select is(road.prune_commands(128), 0::bigint, 'nothing is left to do');
select is((select count(*) from road.command), 3::bigint, 'a live one is never touched');

select * from finish();
rollback;
