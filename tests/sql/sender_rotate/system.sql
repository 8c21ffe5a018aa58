begin;
\ir ../builders.sql
select plan(1);

select throws_ok($$select road.sender_rotate('system', sha256('x'))$$, 'UM003', 'system is the server itself and has no token', 'system gets no token');

select * from finish();
rollback;
