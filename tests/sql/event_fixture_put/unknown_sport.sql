-- A workflow that scores nothing is no sport.
begin;
\ir ../builders.sql
select plan(3);

select build.event();
select is(build.put('{"sport": "event"}', 'a'), 'refused unknown_sport', 'event is a workflow, but no sport');
select is(build.put('{"sport": "fixture"}', 'b'), 'refused unknown_sport', 'nor is fixture');
select is(build.put('{"sport": "football"}', 'c'), 'accepted', 'football is');

select * from finish();
rollback;
