begin isolation level serializable;
\ir ../builders.sql
select plan(1);

select throws_ok($$select road.execute('s', 'event', 'event', 'cup', 'create', 'k', '{"name": "Cup"}')$$, 'UM004', null, 'C-035: SERIALIZABLE is refused on entry');

select * from finish();
rollback;
