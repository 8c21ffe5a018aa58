begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
create function build.lines(p_n integer) returns jsonb language sql as $$
    select coalesce(jsonb_agg(jsonb_build_object('sender', 'tester', 'workflow', 'fixture', 'kind', 'fixture', 'ref', 'final', 'code', 'note',
        'key', 'n' || i, 'input', '{"text": "x"}'::jsonb)), '[]')
    from generate_series(1, p_n) i
$$;
select throws_ok('select * from road.execute_many(build.lines(26))', 'UM003', null, 'at most 25');
select throws_ok('select * from road.execute_many(build.lines(0))', 'UM003', null, 'at least one');
select throws_ok($$select * from road.execute_many('{"key": "n"}')$$, 'UM003', null, 'an array');
select throws_ok('select * from road.execute_many(null)', 'UM003', null, 'not nothing');
select is((select count(*) from road.execute_many(build.lines(25)) m where m.outcome = 'accepted'), 25::bigint, '25 are taken');
select is((select m.answer #>> '{reason,code}' from road.execute_many('[{"sender": "tester", "workflow": "fixture", "kind": "fixture", "ref": "nope", "code": "note", "key": "k", "input": {"text": "x"}}]') m),
    'subject_not_found', 'a subject that is not there is that item''s matter');
select is((select m.answer #>> '{reason,code}' from road.execute_many(jsonb_set(build.lines(1), '{0,token_sha256}', '"00"')) m), 'sender_unknown', 'a token is checked with each');

-- a bug in one undoes all
create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$
begin
    return jsonb_build_object('note', 1 / (cmd.command_id <> 'n2')::integer);
end
$$;
select build.clock(road.now() + interval '31 days');
select throws_ok('select * from road.execute_many(build.lines(3))', '22012', null, 'any other error is the batch''s');

select * from finish();
rollback;
