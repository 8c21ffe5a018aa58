-- C-072: a goal does not make an edit of the schedule conflict, nor the other way round.
begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
create temp table saw as select build.saw() as before;
select build.play('goal', '{"side": "home", "minute": 5}');

select is(build.brief(build.command('event.fixture_put', 'cup',
    '{"fixture": "final", "sport": "football", "home": "Reds", "away": "Blues", "venue": "South"}', (select before from saw))), 'accepted', 'C-072: an edit of the schedule after a goal');
select is(build.play('goal', '{"side": "home", "minute": 6}'), 'accepted', 'C-072: a goal after an edit of the schedule');
select is(build.brief(build.command('football.goal', 'final', '{"side": "home", "minute": 7}', '{"play": 5}')), 'accepted', 'C-073: the version of a play is the last play, not the last log row');

select * from finish();
rollback;
