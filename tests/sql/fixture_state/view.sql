begin;
\ir ../builders.sql
select plan(4);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
create temp table d as select road.read('fixture', 'final') -> 'data' as d;
select is((select (d ->> 'event', d ->> 'sport', d ->> 'status')::text from d), '(cup,football,running)', 'event, sport, status');
select is((select d #> '{score,score}' from d), '{"home": 1, "away": 0}', 'the score');
select is((select d -> 'rows' from d), '{"fixture/final/schedule": 1, "fixture/final/status": 2, "fixture/final/score": 3, "fixture/final/result": null}', 'C-052: the version of each row');
select is((select d #>> '{schedule,home}' from d), 'Reds', 'the schedule');

select * from finish();
rollback;
