begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select build.plays('final', '[["card", {"side": "home", "person": "Ann", "card": "yellow", "minute": 5}], ["card", {"side": "home", "person": "Ann", "card": "second", "minute": 7}], ["goal", {"side": "home", "minute": 9}]]');
create function build.replayed(p_void bigint default null, p_correct bigint default null, p_input jsonb default null) returns jsonb language sql as $$
    select coalesce(r.illegal - 'message', r.state -> 'score') from sport.fixture_replay(build.subject('fixture', 'final'), 'football', '{}', p_void, p_correct, p_input) r
$$;
select is(build.replayed(), '{"home": 1, "away": 0}', 'as it is');
select is(build.replayed(p_void => 5), '{"home": 0, "away": 0}', 'without the goal');
select is(build.replayed(p_void => 3), '{"play": 4, "code": "no_first_yellow"}', 'without the first yellow card');
select is(build.replayed(p_void => 2), '{"play": 3, "code": "not_started"}', 'without the kick-off');
select is(build.replayed(p_correct => 5, p_input => '{"side": "away", "minute": 9}'), '{"home": 0, "away": 1}', 'for the other side');
select is(build.replayed(p_correct => 5, p_input => '{"side": "home", "minute": 9, "scorer": "Ann"}'), '{"play": 5, "code": "sent_off"}', 'by a player who was sent off');

select * from finish();
rollback;
