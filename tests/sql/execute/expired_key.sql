begin;
\ir ../builders.sql
select plan(12);

select build.fixture();
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n')), 'accepted', 'a key');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n')), 'duplicate', 'C-055: is remembered');
select build.clock(road.now() + interval '29 days');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n')), 'duplicate', 'C-050: for 30 days');
select isnt(road.saved_command('tester', 'n'), null, 'and may be asked for');

select build.clock(road.now() + interval '2 days');
select is(road.saved_command('tester', 'n'), null, 'an expired row is invisible');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "y"}', p_key => 'n')), 'accepted', 'reads as fresh, whatever came under the key before');
select is((select count(*) from road.command k where k.command_id = 'n'), 1::bigint, 'and is replaced by the next write');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "y"}', p_key => 'n')), 'duplicate', 'whose key lives again');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n')), 'refused key_reused', 'as that of the new command');
select is((select count(*) from road.log l where l.command_id = 'n'), 2::bigint, 'both are in the log, which forgets nothing');

-- a refusal gives way in the same way
select build.clock(road.now() + interval '31 days');
select is(build.brief(build.command('football.goal', 'final', '{"side": "home", "minute": 3}', '{"play": null}', p_key => 'n')), 'refused not_running',
    'a refusal replaces an expired acceptance');
select is_empty('select name from road.invariants()', 'and every invariant holds');

select * from finish();
rollback;
