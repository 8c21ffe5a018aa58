begin;
\ir ../builders.sql
select plan(3);

select build.shootout_fixture();
select build.plays('final', '[["kick", {"side": "home", "scored": true}]]');
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-a"]}', 'cup');
select build.command('fixture.source_claim', 'final', '{"source": "feed-a", "group": "score", "value": {"home": 0, "periods": {"H1": {"home": 1}, "ET1": {"home": 4}}, "shootout": {"home": 2, "away": 0}, "attendance": 5}, "observed_at": "2020-01-01T12:00:00Z"}');
select is((select string_agg(c.at || ' ' || c.claimed || ' ' || c.truth, ', ' order by c.at) from sport.fixture_conflicting(build.subject('fixture', 'final')) c), 'periods/H1/home 1 0, shootout/home 2 1', 'member by member, where both say something');
select build.edited('event.sources_set', '{"group": "officials", "order": ["feed-a", "feed-b"]}', 'cup');
select build.command('fixture.source_claim', 'final', jsonb_build_object('source', s.source, 'group', 'officials', 'value', jsonb_build_object('referee', s.name), 'observed_at', '2020-01-01T12:00:00Z'))
from (values ('feed-b', 'Bo'), ('feed-a', 'Al')) s (source, name);
select is((select string_agg(c.source || ' ' || c.claimed || ' ' || c.against, ', ') from sport.fixture_conflicting(build.subject('fixture', 'final')) c where c.field_group = 'officials'), 'feed-b "Bo" feed-a', 'against what is shown');
select is((select count(*) from sport.fixture_conflicting(build.subject('fixture', 'final')) c where c.field_group in ('schedule', 'lineup')), 0::bigint, 'nothing else');

select * from finish();
rollback;
