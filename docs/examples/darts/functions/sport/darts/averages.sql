create or replace function sport.darts_averages(q road.query)
returns jsonb
language sql
stable
as $$
    select jsonb_build_object(
        'home', round(3 * (501 - (c.state #>> '{score,home}')::numeric) / nullif((c.state #>> '{thrown,home}')::numeric, 0), 2),
        'away', round(3 * (501 - (c.state #>> '{score,away}')::numeric) / nullif((c.state #>> '{thrown,away}')::numeric, 0), 2))
    from sport.fixture f
    join sport.fixture_score c on c.fixture_id = f.fixture_id
    where f.fixture_id = (q).subject_id and f.sport = 'darts'
$$;
comment on function sport.darts_averages(road.query) is 'View darts_averages of a fixture: points for three darts, null for a side that has not thrown.';
