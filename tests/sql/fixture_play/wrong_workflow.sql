-- A fixture of another sport. There is only one sport yet, so the fixture's is set by hand.
begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
update sport.fixture set sport = 'badminton';
select is(build.play('period_start', '{"period": "H1"}'), 'refused wrong_workflow', 'football.period_start refuses wrong_workflow');
select is(build.play('period_end', '{"period": "H1"}'), 'refused wrong_workflow', 'football.period_end refuses wrong_workflow');
select is(build.play('goal', '{"side": "home", "minute": 1}'), 'refused wrong_workflow', 'football.goal refuses wrong_workflow');
select is(build.play('card', '{"side": "home", "minute": 1, "person": "a", "card": "red"}'), 'refused wrong_workflow', 'football.card refuses wrong_workflow');
select is(build.play('kick', '{"side": "home", "scored": true}'), 'refused wrong_workflow', 'football.kick refuses wrong_workflow');
select is(build.play('sub', '{"side": "home", "off": "a", "on": "b", "minute": 1}'), 'refused wrong_workflow', 'football.sub refuses wrong_workflow');
select is(build.play('var', '{"stage": "check"}'), 'refused wrong_workflow', 'football.var refuses wrong_workflow');
select is((build.command('football.goal', 'final', '{"side": "home", "minute": 1}', build.saw())).body #> '{reason,detail}', '{"sport": "badminton"}', 'it says which sport it is');

select * from finish();
rollback;
