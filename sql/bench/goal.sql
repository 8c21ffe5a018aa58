-- A goal that is not accepted divides by zero: what refuses is not what is to be measured.
select outcome, answer, 1 / (outcome = 'accepted')::integer from road.execute('bench', 'football', 'fixture', 'bench-' || :client_id, 'goal', gen_random_uuid()::text,
    '{"side": "home", "scorer": "Home Player 9", "assist": "Home Player 7", "minute": 23}',
    jsonb_build_object('play', (select s.last_play_seq from road.subject s where s.kind = 'fixture' and s.ref = 'bench-' || :client_id)));
