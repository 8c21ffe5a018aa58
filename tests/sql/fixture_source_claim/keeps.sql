begin;
\ir ../builders.sql
select plan(16);

select build.level_fixture();
select is(build.brief(build.command('fixture.source_claim', 'final', '{"source": "feed-a", "group": "score", "value": {"home": 1}, "observed_at": "2020-01-01T12:00:00Z"}')), 'refused source_unknown', 'fixture.source_claim refuses source_unknown');
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-a", "feed-b"]}', 'cup');
create function build.claim(p_source text, p_value jsonb, p_at text default '12:00', p_group text default 'score', p_ref text default 'final') returns build.answered language sql as $$
    select build.command('fixture.source_claim', p_ref, jsonb_build_object('source', p_source, 'group', p_group, 'value', p_value, 'observed_at', '2020-01-01T' || p_at || ':00Z'))
$$;
select is(build.brief(build.claim('plays', '{"home": 1}')), 'refused reserved_source', 'fixture.source_claim refuses reserved_source');
select is(build.brief(build.claim('feed-a', '{}')), 'refused bad_claim', 'fixture.source_claim refuses bad_claim');
select is(build.brief(build.claim('feed-a', '{"home": 1}', p_group => 'lineup')), 'refused source_unknown', 'for each group its own');
create temp table said as select * from build.claim('feed-a', '{"home": 1, "away": 0, "periods": {"H1": {"home": 0, "away": 0}}}');
select is((select outcome from said), 'accepted', 'no version is asked for');
select is(road.read('fixture', 'final') #> '{data,shown,source}', '"plays"', 'C-034: what was played is shown first');
select is((select body #> '{result,conflicts}' from said), '[{"at": "home", "truth": 0, "source": "feed-a", "against": "plays", "claimed": 1, "field_group": "score"}]', 'the answer says where it contradicts');
select is(road.read('fixture', 'final', 'conflicts') #>> '{data,items,0,at}', 'home', 'SP-02: it is listed');
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-b", "feed-a", "plays"]}', 'cup');
select is(road.read('fixture', 'final') #> '{data,shown,source}', '"feed-a"', 'another order decides anew');
select build.claim('feed-b', '{"home": 2, "away": 0}', '13:00');
select is(road.read('fixture', 'final') #> '{data,shown,value,home}', '2', 'the best source is shown');
select build.claim('feed-b', '{"home": 5, "away": 0}', '12:30');
select is(road.read('fixture', 'final') #> '{data,shown,value,home}', '2', 'an older observation never replaces a newer one of the same source');
select is((select count(*) from sport.source_claim), 3::bigint, 'though every value is kept');
select is((select string_agg(distinct source, ' ' order by source) from sport.fixture_conflicting(build.subject('fixture', 'final'))), 'feed-a feed-b', 'shown or not, what contradicts the plays is listed');
select build.edited('event.sources_set', '{"group": "score", "order": []}', 'cup');
select is(road.read('fixture', 'final') #> '{data,shown,source}', '"plays"', 'a source that is not named any more is not shown');
select is(jsonb_array_length(road.read('fixture', 'final', 'conflicts') #> '{data,items}'), 2, 'nor dropped');
select is((select changed_seq from sport.fixture_score), (select last_play_seq from road.subject where ref = 'final'), 'the score''s version did not move');

select * from finish();
rollback;
