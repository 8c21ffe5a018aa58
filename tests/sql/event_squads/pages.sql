begin;
\ir ../builders.sql
select plan(3);

select build.event();
select build.edited('event.squad_put', jsonb_build_object('team', t, 'members', '[{"person": "Ann"}]'::jsonb), 'cup') from unnest(array['Reds', 'Blues']) t;
select is(road.read('event', 'cup', 'squads', null, 1) #>> '{data,items,0,team}', 'Blues', 'by team');
select is(road.read('event', 'cup', 'squads', 'Blues', 1) #>> '{data,items,0,team}', 'Reds', 'in pages');
select is(road.read('event', 'cup', 'squads', 'Reds', 1) #> '{data,next}', 'null', 'the last');

select * from finish();
rollback;
