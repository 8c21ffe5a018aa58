begin;
\ir ../builders.sql
select plan(5);

select build.fixture();

select is(build.brief(build.command('football.hattrick', 'final')), 'refused unknown_command', 'no such code');
select is(build.brief(build.command('quidditch.goal', 'final')), 'refused unknown_command', 'no such workflow');
select is(build.brief(build.command('football.goal', 'cup', p_kind => 'event')), 'refused unknown_command', 'the code is for another kind of subject');
select is((build.command('quidditch.goal', 'final')).body -> 'subject', '{"kind": "fixture", "id": null, "ref": "final"}', 'the body has its shape all the same');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'and is not stored');

select * from finish();
rollback;
