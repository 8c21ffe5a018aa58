select road.sender_add('bench', sha256('bench'));
select outcome from road.execute('bench', 'event', 'event', 'bench', 'create', 'event', '{"name": "Bench"}');
select count(*) filter (where r.outcome = 'accepted')
from generate_series(0, 65) i
cross join lateral road.execute('bench', 'event', 'event', 'bench', 'fixture_put', 'fixture:' || i,
    jsonb_build_object('fixture', 'bench-' || i, 'sport', 'football', 'home', 'Home', 'away', 'Away'),
    jsonb_build_object('rows', jsonb_build_object('fixture/bench-' || i || '/schedule', null))) r;
select count(*) filter (where r.outcome = 'accepted')
from generate_series(0, 65) i
cross join lateral road.execute('bench', 'football', 'fixture', 'bench-' || i, 'period_start', 'start:' || i, '{"period": "H1"}', '{"play": null}') r;
vacuum analyze;
