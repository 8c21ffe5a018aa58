begin;
\ir ../builders.sql
select plan(10);

select build.fixture();
select build.sender('gone');
select road.sender_disable('gone');

select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'nobody')), 'refused sender_unknown', 'nobody');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'gone')), 'refused sender_unknown', 'disabled');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'wrong')), 'refused sender_unknown', 'a token that is not the sender''s');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'tester')), 'accepted', 'its token');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}')), 'accepted', 'no token: authenticated elsewhere');
select road.sender_rotate('tester', sha256('second'));
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'tester')), 'accepted', 'after a rotation the old one for a while');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'second')), 'accepted', 'and the new one');
select build.clock(clock_timestamp() + interval '61 minutes');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'tester')), 'refused sender_unknown', 'the old one ends by the database''s clock');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_token => 'second')), 'accepted', 'the new one stays');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'and is not stored');

select * from finish();
rollback;
