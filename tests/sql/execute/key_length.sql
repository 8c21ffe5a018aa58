begin;
\ir ../builders.sql
select plan(5);

select build.fixture();
select build.sender('agent', p_may_act => true);
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => '')), 'refused bad_input', 'an empty key');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => repeat('k', 201))), 'refused bad_input', '201 characters');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => repeat(U&'\00e9', 200))), 'accepted', '200 characters');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'agent', p_actor => repeat('a', 201))), 'refused bad_input', 'an actor of 201');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'and is not stored');

select * from finish();
rollback;
