begin;
\ir ../builders.sql
select plan(1);

select throws_ok($$select road.sender_disable('system')$$, 'UM003', 'system is the server itself and is not shut out', 'system stays');

select * from finish();
rollback;
