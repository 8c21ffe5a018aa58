begin;
\ir ../builders.sql
select plan(7);

select build.running_fixture();
create temp table saw as select build.saw() as before;
select build.play('goal', '{"side": "home", "minute": 5, "scorer": "Ann"}');
create temp table said as select * from build.command('football.goal', 'final', '{"side": "away", "minute": 6}', (select before from saw), p_key => 'stale');

select is((select (outcome, reason)::text from said), '(conflict,version_moved)', 'C-013: another play came first');
select is((select body -> 'changed' from said),
    '[{"row_id": "fixture/final/play/3", "changed_seq": 3, "value": {"play": 3, "workflow": "football", "code": "goal", "input": {"side": "home", "minute": 5, "scorer": "Ann"}}}]',
    'C-074: the conflict carries the play that was missed');
select is((select count(*) from road.command where command_id = 'stale'), 0::bigint, 'a conflict is not stored');
select is(build.brief(build.command('football.goal', 'final', '{"side": "away", "minute": 6}', build.saw(), p_key => 'stale')), 'accepted', 'the same key goes through once the sender has looked');
select is(jsonb_array_length((build.command('football.goal', 'final', '{"side": "away", "minute": 6}', '{"play": null}')).body -> 'changed'), 3, 'an explicit null means "I saw none": all plays were missed');
select is((build.command('football.goal', 'final', '{"side": "away", "minute": 6}', '{"play": 99}')).body -> 'changed', '[]', 'a play that never was is a conflict too, with nothing after it');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}')), 'accepted', 'C-073: a pure add asks for no version');

select * from finish();
rollback;
