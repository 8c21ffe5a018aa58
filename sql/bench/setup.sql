-- A statement that is not accepted as a whole divides by zero.
select road.sender_add('bench', sha256('bench'));
select 1 / (outcome = 'accepted')::integer from road.execute('bench', 'event', 'event', 'bench', 'create', 'event', '{"name": "Bench"}');
select 1 / (count(*) filter (where r.outcome <> 'accepted') = 0)::integer
from generate_series(0, 65) i
cross join lateral road.execute('bench', 'event', 'event', 'bench', 'fixture_put', 'fixture:' || i,
    jsonb_build_object('fixture', 'bench-' || i, 'sport', 'football', 'home', 'Home', 'away', 'Away'),
    jsonb_build_object('rows', jsonb_build_object('fixture/bench-' || i || '/schedule', null))) r;
-- Both teams have a squad of 26, and the fixtures that goals go to have line-ups: 1 to 11 start, the others sit on the bench.
select 1 / (count(*) filter (where r.outcome <> 'accepted') = 0)::integer
from unnest(array['Home', 'Away']) t
cross join lateral road.execute('bench', 'event', 'event', 'bench', 'squad_put', 'squad:' || t,
    jsonb_build_object('team', t, 'members', (select jsonb_agg(jsonb_build_object('person', t || ' Player ' || p, 'shirt', p)) from generate_series(1, 26) p)),
    jsonb_build_object('rows', jsonb_build_object('event/bench/squad/' || t, null))) r;
select 1 / (count(*) filter (where r.outcome <> 'accepted') = 0)::integer
from generate_series(0, 15) i
cross join unnest(array['Home', 'Away']) t
cross join lateral road.execute('bench', 'fixture', 'fixture', 'bench-' || i, 'lineup_set', 'lineup:' || i || ':' || t,
    jsonb_build_object('side', lower(t), 'keeper', t || ' Player 1',
        'starters', (select jsonb_agg(t || ' Player ' || p) from generate_series(1, 11) p),
        'bench', (select jsonb_agg(t || ' Player ' || p) from generate_series(12, 26) p)),
    jsonb_build_object('rows', jsonb_build_object('fixture/bench-' || i || '/lineup/' || lower(t), null))) r;
select 1 / (count(*) filter (where r.outcome <> 'accepted') = 0)::integer
from generate_series(0, 65) i
cross join lateral road.execute('bench', 'football', 'fixture', 'bench-' || i, 'period_start', 'start:' || i, '{"period": "H1"}', '{"play": null}') r;
vacuum analyze;
