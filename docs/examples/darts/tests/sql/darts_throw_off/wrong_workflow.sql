begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
select is(build.brief(build.command('darts.throw_off', 'final', '{"side": "home"}', '{"play": null}')), 'refused wrong_workflow', 'darts.throw_off refuses wrong_workflow');
select is(build.brief(build.command('darts.visit', 'final', '{"side": "home", "darts": ["0", "0", "0"]}', '{"play": null}')), 'refused wrong_workflow', 'darts.visit refuses wrong_workflow');

select * from finish();
rollback;
