begin;
\ir ../builders.sql
select plan(12);

select build.running_fixture();
select build.fixture('other-final', p_event => 'other');
select is(build.put('{"home": "Reds", "away": "Reds"}', 'new'), 'refused same_side', 'event.fixture_put refuses same_side');
select is(build.put('{"home": "Reds", "away": "Reds"}'), 'refused same_side', 'also in an edit');
select is(build.put('{}', '00000000-0000-4000-8000-000000000000'), 'refused bad_reference', 'event.fixture_put refuses bad_reference: a uuid');
select is(build.put('{}', 'a b'), 'refused bad_reference', 'a blank');
select is(build.put('{"sport": "quidditch"}', 'new'), 'refused unknown_sport', 'event.fixture_put refuses unknown_sport');
select is(build.subject('fixture', 'new'), null, 'C-071: and the fixture is not there');
select is(build.put('{"sport": "fixture"}'), 'refused sport_fixed', 'event.fixture_put refuses sport_fixed');
select is(build.put('{}', 'other-final'), 'refused other_event', 'event.fixture_put refuses other_event');
select is(build.put('{"home": "Greens"}'), 'refused already_started', 'event.fixture_put refuses already_started: home');
select is(build.put('{"away": "Greens"}'), 'refused already_started', 'away');
select is(build.put('{"starts_at": "2022-12-18T15:00:00Z"}'), 'refused already_started', 'start');
select is(build.put('{"home": "Greens", "starts_at": "2022-12-18T15:00:00Z"}', build.fixture('second')), 'accepted', 'one that has not started may change all three');

select * from finish();
rollback;
