begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$
begin
    return '{"result": {"a": 1}, "note": {"b": 2}, "secret": {"token": "canary-4711"}}';
end
$$;
create temp table first as select * from build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n');

select is((select body #>> '{secret,token}' from first), 'canary-4711', 'a secret is part of the first answer');
select is((select body -> 'secret_shown' from first), 'true', 'which says that it was shown');
select is((select body -> 'result' from first), '{"a": 1}', 'beside the result');
create temp table again as select * from build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'n');
select is((select outcome from again), 'duplicate', 'a duplicate');
select is((select body -> 'first' from again), (select body - 'secret' from first), 'gives the first answer without it, and says that it was shown');
select unalike((select body::text from again), '%canary-4711%', 'nothing of it');
select is_empty($$
    select 'command' from road.command k where k::text like '%canary-4711%'
    union all select 'log' from road.log l where l::text like '%canary-4711%'
    union all select 'note' from road.note n where n::text like '%canary-4711%'
$$, 'no table has it');

create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$
begin
    perform road.refuse('no', 'No.');
    return '{"secret": {"token": "canary-4711"}}';
end
$$;
select unalike((select body::text from build.command('fixture.note', 'final', '{"text": "y"}')), '%secret%', 'a refusal shows none');

select * from finish();
rollback;
