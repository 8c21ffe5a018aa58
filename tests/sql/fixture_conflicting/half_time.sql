-- A claim that names periods is compared with the fold by period, whoever recorded the plays and whenever it came.
begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select build.edited('event.sources_set', '{"group": "score", "order": ["feed-a"]}', 'cup');
create function build.conflicts() returns text language sql as $$
    select string_agg(concat_ws(' ', c.at, c.claimed, c.truth, c.against), ', ' order by c.at) from sport.fixture_conflicting(build.subject('fixture', 'final')) c
$$;
select build.command('fixture.source_claim', 'final', '{"source": "feed-a", "group": "score", "value": {"periods": {"H1": {"home": 1, "away": 0}}}, "observed_at": "2020-01-01T12:45:00Z"}');
select is(build.conflicts(), null, 'a period that runs contradicts nothing yet');
select build.plays('final', '[["goal", {"side": "home", "minute": 5}], ["goal", {"side": "away", "minute": 45, "added": 2}], ["period_end", {"period": "H1"}]]');
select is(build.conflicts(), 'periods/H1/away 0 1 plays', 'half-time: the claim is not what the plays fold to');
select build.plays('final', '[["period_start", {"period": "H2"}], ["goal", {"side": "away", "minute": 46}]]');
select is(build.conflicts(), 'periods/H1/away 0 1 plays', 'later goals change nothing about it');
select build.edited('fixture.play_void', jsonb_build_object('play', (select min(p.seq) from sport.play p where p.input ->> 'side' = 'away'), 'reason', 'Offside.'));
select is(build.conflicts(), null, 'a goal of that half is taken out: it agrees');
select build.edited('fixture.play_void', jsonb_build_object('play', (select min(p.seq) from sport.play p where p.input ->> 'side' = 'home'), 'reason', 'Offside.'));
select is(build.conflicts(), 'periods/H1/home 1 0 plays', 'another one: it contradicts again');
select build.command('fixture.source_claim', 'final', '{"source": "feed-a", "group": "score", "value": {"periods": {"H1": "1-0", "H2": {"away": 1}}}, "observed_at": "2020-01-01T12:46:00Z"}');
select is(build.conflicts(), 'periods/H1 "1-0" {"away": 0, "home": 0} plays', 'what is not told by side is listed whole');

select * from finish();
rollback;
