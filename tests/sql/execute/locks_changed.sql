-- What a command has to lock is read again under the lock.
begin;
\ir ../builders.sql
select plan(3);

select build.event();
create sequence build.looks;
grant usage on sequence build.looks to public;
create or replace function sport.event_fixture_put_locks(cmd road.call) returns road.lock_request language sql volatile as
$$select row ('{}'::uuid[], 'fixture', array['f' || nextval('build.looks')])::road.lock_request$$;
create temp table said as select * from build.command('event.fixture_put', 'cup', '{"fixture": "f1", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/f1/schedule": null}}', p_key => 'l');
select is((select (outcome, reason)::text from said), '(try_again,locks_changed)', 'a changed set is try again');
select is((select count(*) from road.command where command_id = 'l'), 0::bigint, 'and nothing is stored');
select is((select count(*) from road.subject where kind = 'fixture'), 0::bigint, 'nor created');

select * from finish();
rollback;
