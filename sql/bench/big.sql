-- A large database beside what setup.sql makes: :fixtures more fixtures, each running, with 20 plays, 50 log rows and 100
-- commands. Written straight into the tables; seq, last play and score fit together as the road would have left them.
create temp table big as
select i, gen_random_uuid() as id, (select s.subject_id from road.subject s where s.kind = 'event' and s.ref = 'bench') as event_id
from generate_series(66, 65 + :fixtures) i;
insert into road.subject (subject_id, parent_id, last_seq, last_play_seq, lock_rank, kind, ref)
select b.id, b.event_id, 50, 20, 20, 'fixture', 'bench-' || b.i from big b;
insert into sport.fixture (fixture_id, event_id, sport) select b.id, b.event_id, 'football' from big b;
insert into sport.fixture_schedule (fixture_id, changed_seq, home, away) select b.id, 1, 'Home', 'Away' from big b;
insert into sport.fixture_status (fixture_id, changed_seq, status) select b.id, 1, 'running' from big b;
insert into sport.fixture_score (fixture_id, changed_seq, state)
select b.id, 20, '{"score": {"home": 19, "away": 0}, "period": "H1", "people": {}, "status": "running", "periods": {}, "running": true, "settings": {}}' from big b;
insert into sport.play (fixture_id, seq, workflow, code, changed_seq, input)
select b.id, n, 'football', case n when 1 then 'period_start' else 'goal' end, n,
    case n when 1 then '{"period": "H1"}'::jsonb else '{"side": "home", "kind": "penalty", "scorer": "Lionel Messi", "minute": 23}' end
from big b cross join generate_series(1, 20) n;
insert into road.log (subject_id, seq, at, sender, actor, command_id, workflow, code, input, note)
select b.id, n, clock_timestamp(), 'bench', '', gen_random_uuid()::text, 'fixture', 'note', x.input, x.input
from big b cross join generate_series(1, 50) n
cross join (select '{"text": "A long ball over the top finds the winger, whose cross is cleared.", "minute": 12}'::jsonb) x (input);
insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
select 'bench', '', gen_random_uuid()::text, b.id, n, 'accepted', clock_timestamp(), clock_timestamp(), clock_timestamp() + n * interval '8 hours',
    sha256(convert_to(b.i || '/' || n, 'UTF8')),
    jsonb_build_object('key', gen_random_uuid(), 'seq', n, 'code', 'note', 'result', '{}'::jsonb, 'outcome', 'accepted', 'workflow', 'fixture',
        'subject', jsonb_build_object('id', b.id, 'ref', 'bench-' || b.i, 'kind', 'fixture'))
from big b cross join generate_series(1, 100) n;
vacuum analyze;
checkpoint;
