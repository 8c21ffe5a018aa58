begin;
\ir ../builders.sql
select plan(2);

select is(road.position(7654321, 2, '18446744073709551615', 12), '74cbb1-2-18446744073709551615-12', 'hex, hex, xid, id');
select is(road.position(-1, 16, '3', 0), 'ffffffffffffffff-10-3-0', 'a number of 64 bits keeps all of them');

select * from finish();
rollback;
