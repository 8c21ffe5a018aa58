begin;
\ir ../builders.sql
select plan(6);

create function build.differing() returns bigint language sql as $$
    select count(*)
    from road.catalogue_command c
    cross join lateral road.command_traits(c.workflow, c.code, c.kind) r
    where (r.level, r.creates, r.locks, r.log_input, r.log_drop, r.key_ttl)
        is distinct from (c.level, c.creates, c.locks is not null, c.log_input, c.log_drop, c.key_ttl)
$$;
select is(build.differing(), 0::bigint, 'every command has the traits that the catalogue says');
select is((road.command_traits('football', 'goal', 'event')).level, null, 'another kind of subject: there is no such command');
select is((road.command_traits('football', 'hattrick', 'fixture')).level, null, 'another code');
select is((road.command_traits(null, 'goal', 'fixture')).level, null, 'no workflow');
update road.catalogue_command set key_ttl = interval '1 day', log_input = 'redacted', log_drop = '{text,minute}' where code = 'note';
select is(build.differing(), 1::bigint, 'the traits are written at install');
\ir ../../../functions/road/dispatchers.sql
select is(build.differing(), 0::bigint, 'anew each time');

select * from finish();
rollback;
