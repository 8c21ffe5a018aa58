begin;
\ir ../builders.sql
select plan(11);

select build.running_fixture();
select build.fixture('other');
select build.command('fixture.note', 'final', '{"text": "x", "n": [1, 2]}', p_key => 'taken');
select build.command('football.goal', 'final', '{"side": "home", "minute": 60}', build.saw(), p_key => 'no');

select is(build.brief(build.command('fixture.note', 'final', '{"text": "y", "n": [1, 2]}', p_key => 'taken')), 'refused key_reused', 'ID-08: other body after an accept');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x", "n": [2, 1]}', p_key => 'taken')), 'refused key_reused', 'ID-09: other order of an array');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x", "n": [1, 2.0]}', p_key => 'taken')), 'refused key_reused', 'C-058: 2 and 2.0 are different payloads');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'taken')), 'refused key_reused', 'a member less');
select is(build.brief(build.command('fixture.note', 'other', '{"text": "x", "n": [1, 2]}', p_key => 'taken')), 'refused key_reused', 'ID-15: other subject');
select is(build.brief(build.command('fixture.note', 'nowhere', '{"text": "x", "n": [1, 2]}', p_key => 'taken')), 'refused key_reused', 'ID-15: a subject that does not exist');
select is(build.brief(build.command('football.goal', 'final', '{"text": "x", "n": [1, 2]}', build.saw(), p_key => 'taken')), 'refused key_reused', 'ID-15: other code');
select is(build.brief(build.command('event.create', 'cup2', '{"name": "x"}', p_key => 'taken')), 'refused key_reused', 'ID-15: a command that creates');
select is(build.brief(build.command('football.goal', 'final', '{"side": "away", "minute": 60}', build.saw(), p_key => 'no')), 'refused key_reused', 'ID-08: other body after a refusal');
select is((build.command('fixture.note', 'final', '{"text": "y"}', p_key => 'taken')).body -> 'first', null, 'ID-08: nothing of the first answer leaks');
select is((select count(*) from road.command where command_id = 'taken'), 1::bigint, 'key_reused is not stored');

select * from finish();
rollback;
