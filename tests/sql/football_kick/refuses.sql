begin;
\ir ../builders.sql
select plan(10);

create function build.kick(p_side text, p_taker text, p_scored boolean) returns text language sql as
$$select build.play('kick', jsonb_strip_nulls(jsonb_build_object('side', p_side, 'taker', p_taker, 'scored', p_scored)))$$;
select build.level_fixture('final', '{"shootout": true}');
select is(build.kick('home', 'h1', true), 'refused not_in_shootout', 'football.kick refuses not_in_shootout');
select build.plays('final', '[["card", {"side": "away", "person": "a1", "card": "red", "minute": 90}], ["period_start", {"period": "PSO"}]]');
select is(build.kick('home', 'h1', true), 'accepted', 'either side may begin');
select is(build.kick('home', 'h2', true), 'refused out_of_turn', 'football.kick refuses out_of_turn');
select is(build.kick('away', 'a1', true), 'refused sent_off', 'football.kick refuses sent_off');
select is(build.kick('away', 'a2', true), 'accepted', 'the other side');
select is(build.kick('away', 'a3', true), 'refused out_of_turn', 'the side that began kicks first in every round');
select is(build.kick('home', 'h1', true), 'refused already_kicked', 'football.kick refuses already_kicked');
select is(build.kick('home', 'h2', false), 'accepted', 'a miss');
select is(build.state() #> '{shootout,home}', '{"taken": 2, "scored": 1, "takers": ["h1", "h2"]}', 'who kicked and what was scored');
select is(build.state() -> 'score', '{"home": 0, "away": 0}', 'the score does not count kicks');

select * from finish();
rollback;
