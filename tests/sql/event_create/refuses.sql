begin;
\ir ../builders.sql
select plan(4);

select build.event();
select is(build.brief(build.command('event.create', 'wc', '{"name": "x", "starts_on": "2022-12-18", "ends_on": "2022-11-20"}')), 'refused dates_reversed', 'event.create refuses dates_reversed');
select is(build.subject('event', 'wc'), null, 'C-071: the subject that was inserted is gone again');
select is(build.brief(build.command('event.create', 'wc', '{"name": "x"}')), 'accepted', 'and the reference is free');
select is(build.brief(build.command('event.create', 'cup', '{"name": "x"}')), 'refused exists', 'event.create refuses exists');

select * from finish();
rollback;
