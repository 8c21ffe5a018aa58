with given as (
    select gen_random_uuid()::text as command_id, '{"side": "home", "scorer": "Home Player 9", "assist": "Home Player 7", "minute": 23}'::jsonb as input,
        jsonb_build_object('play', (select s.last_play_seq from road.subject s where s.kind = 'fixture' and s.ref = 'bench-' || :client_id)) as saw
),
locked as materialized (
    select s.subject_id, s.last_seq + 1 as seq
    from road.subject s
    where s.kind = 'fixture' and s.ref = 'bench-' || :client_id
    for no key update of s
),
keyed as materialized (
    select l.subject_id, l.seq, g.command_id, g.input, g.saw, pg_advisory_xact_lock(hashtextextended(g.command_id, 0)) as key_lock,
        '{"play": 12345, "input": {"side": "home", "scorer": "Home Player 9", "assist": "Home Player 7", "minute": 23}, "period": "H1", "status": "running", "before": {"home": 17, "away": 0}, "score": {"home": 18, "away": 0}, "shootout": null}'::jsonb as note
    from locked l
    cross join given g
),
numbered as (
    update road.subject s set last_seq = k.seq, last_xid = pg_current_xact_id(), last_play_seq = k.seq from keyed k where s.subject_id = k.subject_id
),
played as (
    insert into sport.play (fixture_id, seq, workflow, code, input, changed_seq)
    select k.subject_id, k.seq, 'football', 'goal', k.input, k.seq from keyed k
),
scored as (
    update sport.fixture_score c
    set changed_seq = k.seq,
        state = jsonb_set(c.state, '{score,home}', to_jsonb((c.state #>> '{score,home}')::integer + 1))
    from keyed k
    where c.fixture_id = k.subject_id
),
logged as (
    insert into road.log (subject_id, seq, at, sender, actor, command_id, workflow, code, input, note)
    select k.subject_id, k.seq, clock_timestamp(), 'bench', '', k.command_id, 'football', 'goal', k.input, k.note from keyed k
),
noted as (
    insert into road.note (xid, subject_id, seq, at, workflow, code, body)
    select pg_current_xact_id(), k.subject_id, k.seq, clock_timestamp(), 'football', 'goal', k.note from keyed k
)
insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
select 'bench', '', k.command_id, k.subject_id, k.seq, 'accepted', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 days',
    '\x0123456789012345678901234567890123456789012345678901234567890123'::bytea,
    jsonb_build_object('key', k.command_id, 'seq', k.seq, 'code', 'goal', 'outcome', 'accepted', 'workflow', 'football', 'result', k.note,
        'subject', '{"id": "ebef1c8a-0844-4d03-bf50-4006cec4e2f6", "ref": "bench-12", "kind": "fixture"}'::jsonb)
from keyed k;
