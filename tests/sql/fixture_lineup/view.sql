begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
select is(road.read('fixture', 'final', 'lineup') #> '{data,sides}', '{}', 'none');
select build.lineup('home');
select is(road.read('fixture', 'final', 'lineup') #>> '{data,sides,home,keeper}', 'A1', 'one side''s');

select * from finish();
rollback;
