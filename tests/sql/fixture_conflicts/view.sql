begin;
\ir ../builders.sql
select plan(1);

select build.fixture();
select is(road.read('fixture', 'final', 'conflicts') -> 'data', '{"items": []}', 'none');

select * from finish();
rollback;
