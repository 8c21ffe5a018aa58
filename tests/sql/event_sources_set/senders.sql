begin;
\ir ../builders.sql
select plan(7);

select build.event();
select is(build.edited('event.sources_set', '{"group": "score", "order": ["a"], "senders": {"b": ["bob"]}}', 'cup'), 'refused source_not_in_order', 'event.sources_set refuses source_not_in_order');
select is(build.edited('event.sources_set', '{"group": "score", "order": ["a", "b"], "senders": {"b": ["bob", "bea"]}}', 'cup'), 'accepted', 'with senders');
select is((select senders from sport.event_sources), '{"b": ["bob", "bea"]}', 'kept');
select is((select body from road.note order by seq desc limit 1), '{"group": "score", "order": ["a", "b"]}', 'who sends for whom is not public');
select is(jsonb_path_exists(road.read('event', 'cup', 'sources'), '$.**.senders'), false, 'nor in a view that is open');
select is((build.command('event.sources_set', 'cup', '{"group": "score", "order": ["a"]}', '{"rows": {"event/cup/sources/score": null}}')).body #> '{changed,0,value}', '{"order": ["a", "b"], "senders": {"b": ["bob", "bea"]}}', 'a conflict shows the row whole');
select build.edited('event.sources_set', '{"group": "score", "order": ["a", "b"]}', 'cup');
select is((select senders from sport.event_sources), '{}', 'as the order, they are said anew each time');

select * from finish();
rollback;
