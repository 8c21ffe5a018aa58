begin;
\ir ../builders.sql
select plan(14);

select build.running_fixture();
create function build.item(p_key text, p_code text, p_input jsonb, p_saw jsonb default null, p_workflow text default 'football')
returns jsonb language sql as $$
    select jsonb_build_object('sender', 'tester', 'workflow', p_workflow, 'kind', 'fixture', 'ref', 'final', 'key', p_key, 'code', p_code, 'input', p_input, 'saw', p_saw)
$$;
create temp table said as
select m.item, m.outcome, m.answer, m.answer #>> '{reason,code}' as reason
from road.execute_many(jsonb_build_array(
    build.item('n1', 'note', '{"text": "a"}', p_workflow => 'fixture'),
    build.item('g1', 'goal', '{"side": "home", "minute": 3}', build.saw() - 'rows'),
    build.item('g2', 'goal', '{"side": "home", "minute": 3}', build.saw() - 'rows'),
    build.item('n1', 'note', '{"text": "a"}', p_workflow => 'fixture'),
    build.item('n1', 'note', '{"text": "b"}', p_workflow => 'fixture'),
    build.item('g3', 'goal', '{"side": "home", "minute": 99}', jsonb_build_object('play', (build.saw() ->> 'play')::bigint + 2)),
    build.item('n2', 'note', '{"text": "c"}', p_workflow => 'fixture'))) m;

select is((select array_agg(item order by item) from said), array[1, 2, 3, 4, 5, 6, 7], 'one answer each, in their order');
select is((select outcome from said where item = 1), 'accepted', 'a line');
select is((select outcome from said where item = 2), 'accepted', 'a goal');
select is((select outcome from said where item = 3), 'conflict', 'the same goal with the same last play: a conflict that ends only itself');
select is((select answer #>> '{changed,0,value,code}' from said where item = 3), 'goal', 'and carries the play that was missed, of the same batch');
select is((select outcome from said where item = 4), 'duplicate', 'a key twice in one batch is a duplicate');
select is((select reason from said where item = 5), 'key_reused', 'with another body it is key_reused');
select is((select reason from said where item = 6), 'wrong_minute', 'a rule''s no ends only itself');
select is((select outcome from road.command where command_id = 'g3'), 'refused', 'and is stored');
select is((select outcome from said where item = 7), 'accepted', 'what comes after goes on');
select is((select answer from said where item = 2), (select answer from road.command where command_id = 'g1'), 'an answer is the stored one');
select is((select count(distinct n.xid) from road.note n join road.log l using (subject_id, seq) where l.command_id in ('n1', 'g1', 'n2')), 3::bigint,
    'each in a savepoint of its own');
select is((select count(*) from road.log l where l.command_id in ('n1', 'g1', 'n2')), 3::bigint, 'each logged once');
select is_empty('select name from road.invariants()', 'every invariant holds');

select * from finish();
rollback;
