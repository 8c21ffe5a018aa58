begin;
\ir ../builders.sql
select plan(3);

select build.event();
select is(build.edited('event.sources_set', '{"group": "score", "order": ["b", "a"]}', 'cup'), 'accepted', 'new');
select is((select sources from sport.event_sources), array['b', 'a'], 'in this order');
select build.edited('event.sources_set', '{"group": "score", "order": ["a"]}', 'cup');
select is((select row(changed_seq, sources)::text from sport.event_sources), '(3,{a})', 'changed');

select * from finish();
rollback;
