begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
create temp table first as select * from build.command('fixture.note', 'final', '{"text": "x", "minute": 1}', p_key => 'n');
create temp table again as select * from build.command('fixture.note', 'final', '{"minute": 1,   "text": "x"}', p_key => 'n');

select is((select outcome from again), 'duplicate', 'C-010: a finished command''s retry is a duplicate');
select is((select body -> 'first' from again), (select body from first), 'C-012: with the first answer, unchanged');
select is((select body -> 'subject' from again), (select body -> 'subject' from first), 'and the same subject');
select is((select body ->> 'key' from again), 'n', 'and the same key');
select is((select count(*) from road.log where command_id = 'n'), 1::bigint, 'C-132: applied once');
select is((select count(*) from road.command where command_id = 'n'), 1::bigint, 'C-057: one command row');
select is(build.brief(build.command('fixture.note', build.subject('fixture', 'final')::text, '{"text": "x", "minute": 1}', p_key => 'n')), 'duplicate',
    'the subject may be named by its uuid the second time');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x", "minute": 1}', '{"play": 99}', p_key => 'n')), 'duplicate',
    'C-058, ID-14: what the sender saw is not part of the hash');

select * from finish();
rollback;
