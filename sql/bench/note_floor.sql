\set f random(16, :last)
with given as (
    select gen_random_uuid()::text as command_id, '{"text": "A long ball over the top finds the winger, whose cross is cleared.", "minute": 12}'::jsonb as input
),
locked as materialized (
    select s.subject_id, s.last_seq + 1 as seq
    from road.subject s
    where s.kind = 'fixture' and s.ref = 'bench-' || :f
    for no key update of s
),
keyed as materialized (
    select l.subject_id, l.seq, g.command_id, g.input, pg_advisory_xact_lock(hashtextextended(g.command_id, 0)) as key_lock
    from locked l
    cross join given g
),
numbered as (
    update road.subject s set last_seq = k.seq, last_xid = pg_current_xact_id() from keyed k where s.subject_id = k.subject_id
),
logged as (
    insert into road.log (subject_id, seq, at, sender, actor, command_id, workflow, code, input, note)
    select k.subject_id, k.seq, clock_timestamp(), 'bench', '', k.command_id, 'fixture', 'note', k.input, k.input from keyed k
),
noted as (
    insert into road.note (xid, subject_id, seq, at, workflow, code, body)
    select pg_current_xact_id(), k.subject_id, k.seq, clock_timestamp(), 'fixture', 'note', k.input from keyed k
)
insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
select 'bench', '', k.command_id, k.subject_id, k.seq, 'accepted', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 days',
    '\x0123456789012345678901234567890123456789012345678901234567890123'::bytea,
    '{"key": "91a9f1f1-1ab1-4a4a-8a8a-0123456789ab", "seq": 12345, "code": "note", "result": {}, "outcome": "accepted", "subject": {"id": "ebef1c8a-0844-4d03-bf50-4006cec4e2f6", "ref": "bench-12", "kind": "fixture"}, "workflow": "fixture"}'::jsonb
from keyed k;
