-- A cursor comes from outside: one that cannot be is UM003, never an internal error.
begin;
\ir ../builders.sql
select plan(5);

select build.sender('auditor', p_may_read_log => true);
select build.fixture();
select throws_ok($$select road.read('fixture', 'final', 'plays', 'abc')$$, 'UM003', null, 'plays: no number');
select throws_ok($$select road.read('fixture', 'final', 'plays', '99999999999999999999')$$, 'UM003', null, 'plays: a number too large');
select throws_ok($$select road.read('fixture', 'final', 'commentary', 'abc')$$, 'UM003', null, 'commentary');
select throws_ok($$select road.read('fixture', 'final', 'log', 'abc', 10, 'auditor')$$, 'UM003', null, 'log');
select lives_ok($$select road.read('event', 'cup', 'fixtures', 'abc')$$, 'fixtures go on after a reference: any text will do');

select * from finish();
rollback;
