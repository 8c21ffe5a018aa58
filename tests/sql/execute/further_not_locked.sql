-- A handler that logs on a subject it does not hold is a bug, and is stopped.
begin;
\ir ../builders.sql
select plan(1);

select build.fixture();
select build.fixture('other');
create or replace function sport.fixture_note(cmd road.call) returns jsonb language sql as
$$select jsonb_build_object('note', '{}'::jsonb, 'further', jsonb_build_object(build.subject('fixture', 'other')::text, '{}'::jsonb))$$;
select throws_ok($$select build.command('fixture.note', 'final', '{"text": "x"}')$$, '23502', null, 'C-035: no log number without the lock');

select * from finish();
rollback;
