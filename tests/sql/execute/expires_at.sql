begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
select build.clock('2030-01-01 12:00+00');
select build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'a');
select build.command('football.goal', 'final', '{"side": "home", "minute": 1}', '{"play": null}', p_key => 'r');
update road.catalogue_command set key_ttl = interval '2 days' where workflow = 'fixture' and code = 'note';
\ir ../../../functions/road/dispatchers.sql
select build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'b');

select is((select expires_at from road.command where command_id = 'a'), '2030-01-31 12:00+00'::timestamptz, 'C-050: a key lives 30 days');
select is((select expires_at from road.command where command_id = 'r'), '2030-01-31 12:00+00'::timestamptz, 'C-055: a refusal''s as well');
select is((select expires_at from road.command where command_id = 'b'), '2030-01-03 12:00+00'::timestamptz, 'or as long as the catalogue says');
select ok((select bool_and(finished_at >= received_at) from road.command), 'finished_at is not before received_at');

select * from finish();
rollback;
