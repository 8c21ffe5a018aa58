begin;
\ir ../builders.sql
select plan(11);

select build.fixture();
create temp table said as select * from build.command('fixture.note', 'final', '{"text": "Kick-off soon."}', p_key => 'note-1');

select is((select outcome from said), 'accepted', 'C-019: the answer is accepted');
select is((select body - 'subject' from said),
    '{"outcome": "accepted", "key": "note-1", "workflow": "fixture", "code": "note", "seq": 2, "result": {}}',
    'C-019: its body has the one shape');
select is((select body -> 'subject' from said),
    jsonb_build_object('kind', 'fixture', 'id', build.subject('fixture', 'final'), 'ref', 'final'),
    'C-019: and names the subject');
select is((select answer from road.command where command_id = 'note-1'), (select body from said),
    'C-015: the command row holds the exact answer');
select is((select (outcome, seq)::text from road.command where command_id = 'note-1'), '(accepted,2)',
    'C-050: with outcome and log number');
select is((select (sender, actor, workflow, code, input, note)::text from road.log where command_id = 'note-1'),
    (select ('tester', '', 'fixture', 'note', '{"text": "Kick-off soon."}'::jsonb, '{"text": "Kick-off soon."}'::jsonb)::text),
    'C-054: one log row with the input');
select is((select (seq, workflow, code, body)::text from road.note where subject_id = build.subject('fixture', 'final') order by seq desc limit 1),
    (select (2::bigint, 'fixture', 'note', '{"text": "Kick-off soon."}'::jsonb)::text),
    'C-114: one note, in the same transaction');
select is((select last_seq from road.subject where ref = 'final'), 2::bigint, 'C-011: last_seq moved on');
select is((select last_play_seq from road.subject where ref = 'final'), 0::bigint, 'C-073: commentary is no play');
select ok((select xid > pg_current_xact_id() from road.note where subject_id = build.subject('fixture', 'final') order by seq desc limit 1),
    'Outbox order: the note carries the xid of the savepoint, not of the transaction');
select is_empty('select * from road.invariants()', 'and every invariant holds');

select * from finish();
rollback;
