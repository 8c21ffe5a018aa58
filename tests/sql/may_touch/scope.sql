begin;
\ir ../builders.sql
select plan(5);

select build.fixture();
select is(road.may_touch(array['cup'], null, 'cup'), true, 'a subject at the top by its own reference');
select is(road.may_touch(array['cup'], null, 'other'), false, 'another');
select is(road.may_touch(array['cup'], build.subject('event', 'cup'), 'final'), true, 'a child by its parent''s');
select is(road.may_touch(array['final'], build.subject('event', 'cup'), 'final'), false, 'not by its own');
select is(road.may_touch('{}', null, 'cup'), false, 'an empty scope is nothing');

select * from finish();
rollback;
