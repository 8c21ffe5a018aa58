begin;
\ir ../builders.sql
select plan(6);

select build.fixture();
select throws_ok($$select road.read('fixture', 'final', 'plays', null, 0)$$, 'UM003', null, '0');
select throws_ok($$select road.read('fixture', 'final', 'plays', null, 501)$$, 'UM003', null, '501');
select throws_ok($$select road.read('fixture', 'final', 'plays', null, -1)$$, 'UM003', null, '-1');
select throws_ok($$select road.read('fixture', 'final', 'plays', null, null)$$, 'UM003', null, 'null');
select lives_ok($$select road.read('fixture', 'final', 'plays', null, 1)$$, '1');
select lives_ok($$select road.read('fixture', 'final', 'plays', null, 500)$$, '500');

select * from finish();
rollback;
