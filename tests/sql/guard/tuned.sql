-- The guard runs first at every install; psql reads its file in place, so a stop ends in a savepoint here.
begin;
\ir ../builders.sql
select plan(4);

\set ON_ERROR_STOP off
create temp table said (nth serial, sqlstate text);

savepoint a;
\ir ../../../functions/road/guard.sql
\set said :SQLSTATE
rollback to a;
insert into said (sqlstate) values (:'said');

create or replace function road.now() returns timestamptz language sql volatile as $$select pg_catalog.now()$$;
savepoint b;
\o /dev/null
\set VERBOSITY sqlstate
\ir ../../../functions/road/guard.sql
\set said :SQLSTATE
\set message :LAST_ERROR_MESSAGE
\o
rollback to b;
insert into said (sqlstate) values (:'said');

set local umpire.force = on;
savepoint c;
\ir ../../../functions/road/guard.sql
\set said :SQLSTATE
rollback to c;
insert into said (sqlstate) values (:'said');
set local umpire.force = off;
\set ON_ERROR_STOP on

select is((select sqlstate from said where nth = 1), '00000', 'nothing was tuned: the install goes on');
select is((select sqlstate from said where nth = 2), 'UM005', 'a tuned function stops it');
select is(:'message'::text, 'changed in the database since the last install: road.now()', 'and is named');
select is((select sqlstate from said where nth = 3), '00000', 'unless it is forced');

select * from finish();
rollback;
