begin;
\ir ../builders.sql
select plan(3);

select build.event();
create temp table c as select road.create_further(
    row ('event', 'fixture_put', 'event', 'cup', build.subject('event', 'cup'), null, 'tester', '', 'k', '{}'::jsonb, null, null, null, 2, 0,
        array['00000000-0000-4000-8000-000000000001'::uuid], array[7])::road.call,
    row ('{}'::uuid[], 'fixture', array['x', 'y'])::road.lock_request) as cmd;
select is((select (cmd).further from c), array['00000000-0000-4000-8000-000000000001', build.subject('fixture', 'x'), build.subject('fixture', 'y')], 'the new ones come after those it locked');
select is((select (cmd).further_seq from c), array[7, 1, 1]::bigint[], 'each with its first number');
select is((select parent_id from road.subject where ref = 'x'), build.subject('event', 'cup'), 'under the command''s own subject');

select * from finish();
rollback;
