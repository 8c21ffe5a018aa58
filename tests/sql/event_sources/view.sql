begin;
\ir ../builders.sql
select plan(1);

select build.event();
select build.edited('event.sources_set', '{"group": "score", "order": ["b", "a"]}', 'cup');
select is(road.read('event', 'cup', 'sources') #> '{data,groups,score}', '{"order": ["b", "a"], "changed_seq": 2}', 'by group');

select * from finish();
rollback;
