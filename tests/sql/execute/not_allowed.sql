begin;
\ir ../builders.sql
select plan(15);

select build.fixture();
select build.fixture('other-final', p_event => 'other-cup');
select build.sender('football-only', p_workflows => array['football']);
select build.sender('cup-only', p_events => array['cup', 'next-cup']);
select build.sender('nothing', p_workflows => '{}', p_events => '{}');
select build.sender('agent', p_may_act => true);

select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'football-only')), 'refused not_allowed', 'a workflow out of scope');
select is((build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'football-only')).body #> '{reason,detail}', '{"scope": "workflows"}', 'it names the scope');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": null}', p_sender => 'football-only')), 'accepted', 'a workflow in scope');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'nothing')), 'refused not_allowed', 'an empty list is nothing, not all');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'cup-only')), 'accepted', 'a fixture of an event in scope');
select is(build.brief(build.command('fixture.note', 'other-final', '{"text": "x"}', p_sender => 'cup-only')), 'refused not_allowed', 'a fixture of another event');
select is((build.command('fixture.note', 'other-final', '{"text": "x"}', p_sender => 'cup-only')).body #> '{reason,detail}', '{"scope": "events"}', 'it names the scope');
select is(build.brief(build.command('fixture.note', build.subject('fixture', 'other-final')::text, '{"text": "x"}', p_sender => 'cup-only')), 'refused not_allowed', 'also by uuid');
select is(build.brief(build.command('fixture.note', 'nowhere', '{"text": "x"}', p_sender => 'cup-only')), 'refused not_allowed', 'what is not there is out of scope as well');
select is(build.brief(build.command('event.create', 'next-cup', '{"name": "x"}', p_sender => 'cup-only')), 'accepted', 'an event in scope may be created');
select is(build.brief(build.command('event.create', 'third-cup', '{"name": "x"}', p_sender => 'cup-only')), 'refused not_allowed', 'another may not');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_actor => 'ann')), 'refused not_allowed', 'acting for others needs its scope');
select is((build.command('fixture.note', 'final', '{"text": "x"}', p_actor => 'ann')).body #> '{reason,detail}', '{"scope": "act"}', 'it names the scope');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'agent', p_actor => 'ann')), 'accepted', 'with the scope it is allowed');
select is((select count(*) from road.command where outcome = 'refused'), 0::bigint, 'and is not stored');

select * from finish();
rollback;
