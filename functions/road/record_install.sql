-- Runs last at every install: notes which code is in force and what each function looks like right now.
create or replace function road.record_install(p_code_hash text)
returns void
language sql
volatile
set search_path = pg_catalog, pg_temp
as $$
    delete from road.installed_function;
    insert into road.installed_function (signature, definition)
    select p.oid::regprocedure::text, pg_get_functiondef(p.oid)
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('road', 'sport', 'game') and p.prokind in ('f', 'p');
    insert into road.installed_code (code_hash, installed_by) values (p_code_hash, session_user)
$$;
comment on function road.record_install(text) is 'Remembers the installed code: the package''s hash and each function''s definition. Only install.sql calls it.';
