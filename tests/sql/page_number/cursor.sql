begin;
\ir ../builders.sql
select plan(6);

select is(road.page_number(null), 0::bigint, 'no cursor: the first page');
select is(road.page_number('12'), 12::bigint, 'what the last page gave');
select throws_ok($$select road.page_number('')$$, 'UM003', null, 'empty');
select throws_ok($$select road.page_number('-1')$$, 'UM003', null, 'negative');
select throws_ok($$select road.page_number('1 ')$$, 'UM003', null, 'a blank');
select throws_ok($$select road.page_number('1234567890123456789')$$, 'UM003', null, 'too large');

select * from finish();
rollback;
