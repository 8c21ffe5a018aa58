\set f random(16, :last)
select outcome, answer from road.execute('bench', 'fixture', 'fixture', 'bench-' || :f, 'note', gen_random_uuid()::text, '{"text": "A long ball over the top finds the winger, whose cross is cleared.", "minute": 12}');
