select outcome, answer from road.execute('bench', 'football', 'fixture', 'bench-' || :client_id, 'goal', gen_random_uuid()::text,
    '{"side": "home", "kind": "penalty", "scorer": "Lionel Messi", "minute": 23}',
    jsonb_build_object('play', (select s.last_play_seq from road.subject s where s.kind = 'fixture' and s.ref = 'bench-' || :client_id)));
