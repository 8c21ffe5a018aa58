-- Roles are the cluster's, schemas the database's. A role that is already there is left as it is, so that an operator
-- may create the four beforehand and run the migrations without CREATEROLE.
do $$
begin
    if not exists (select from pg_roles r where r.rolname = 'umpire_owner') then
        create role umpire_owner nologin;
    end if;
    if not exists (select from pg_roles r where r.rolname = 'umpire_app') then
        create role umpire_app nologin;
    end if;
    if not exists (select from pg_roles r where r.rolname = 'umpire_reader') then
        create role umpire_reader nologin;
    end if;
    if not exists (select from pg_roles r where r.rolname = 'umpire_ops') then
        create role umpire_ops nologin;
        grant pg_signal_backend to umpire_ops;
        grant pg_read_all_stats to umpire_ops;
    end if;
end
$$;

comment on role umpire_owner is 'Owns every object of Umpire and migrates. Nobody serves requests as this role.';
comment on role umpire_app is 'What the server is: may execute the API functions; has no write on any table (no write without the lock, by grant: docs/road.md).';
comment on role umpire_reader is 'Reads the outbox and the read functions: streams, consumers, screens.';
comment on role umpire_ops is 'What an operator is at night: the runbook functions, senders, pg_signal_backend and pg_read_all_stats.';

create schema road authorization umpire_owner;
create schema sport authorization umpire_owner;

comment on schema road is 'The engine: subjects, log, outbox, commands, catalogue. Knows no sport and no game.';
comment on schema sport is 'Live sport: events, fixtures, plays, scores. Calls road, never game.';

set local role umpire_owner;

-- Revoked globally: per schema it is a no-op, because PUBLIC gets EXECUTE from the built-in defaults, not from a schema.
alter default privileges for role umpire_owner revoke execute on functions from public;
alter default privileges for role umpire_owner revoke usage on types from public;

grant usage on schema road, sport to umpire_app, umpire_reader, umpire_ops;

-- tern writes its version with the role that it connected as
reset role;
grant select on public.schema_version to umpire_app, umpire_reader, umpire_ops;

---- create above / drop below ----

set local role umpire_owner;

-- cascade: the functions package lives in them
drop schema sport cascade;
drop schema road cascade;
alter default privileges for role umpire_owner grant execute on functions to public;
alter default privileges for role umpire_owner grant usage on types to public;

reset role;
