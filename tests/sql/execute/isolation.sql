-- C-035: a second look must see what the lock waited for.
begin isolation level repeatable read;
\ir ../builders.sql
select plan(1);

select throws_ok($$select road.execute('s', 'event', 'event', 'cup', 'create', 'k', '{"name": "Cup"}')$$, 'UM004', null, 'C-035: REPEATABLE READ is refused on entry');

select * from finish();
rollback;
