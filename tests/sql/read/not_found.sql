begin;
\ir ../builders.sql
select plan(6);

select build.fixture();
select throws_ok($$select road.read('fixture', 'nowhere')$$, 'UM002', 'there is no such subject', 'a reference');
select throws_ok($$select road.read('fixture', '00000000-0000-4000-8000-000000000000')$$, 'UM002', 'there is no such subject', 'a uuid');
select throws_ok($$select road.read('event', 'final')$$, 'UM002', 'there is no such subject', 'another kind');
select throws_ok(format('select road.read(%L, %L)', 'event', build.subject('fixture', 'final')), 'UM002', 'there is no such subject', 'a uuid of another kind');
select throws_ok($$select road.read('fixture', 'final', 'weather')$$, 'UM002', 'there is no such view', 'a view');
select throws_ok($$select road.read('fixture', 'final', null)$$, 'UM002', 'there is no such view', 'no view');

select * from finish();
rollback;
