begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
select is(build.brief(build.command('fixture.note', 'final', '{"text": "The teams are out.", "minute": 0}')), 'accepted', 'C-073: asks for no version');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "The teams are out.", "minute": 0}')), 'accepted', 'the same line under another key is another line');
select is((select count(*) from road.log where code = 'note'), 2::bigint, 'both are in the log');
select is((build.command('fixture.note', 'final', '{"text": "x"}')).body -> 'result', '{}', 'there is no result');

select * from finish();
rollback;
