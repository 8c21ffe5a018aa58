begin;
\ir ../builders.sql
select plan(6);

select build.lined_up('final', '{"shootout": true}');
select build.plays('final', '[["card", {"side": "away", "person": "B1", "card": "red", "minute": 1}], ["card", {"side": "home", "person": "ACoach", "card": "red", "minute": 1}],
    ["card", {"side": "home", "person": "A18", "card": "red", "minute": 1}],
    ["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}], ["period_start", {"period": "PSO"}]]');
select is(build.play('kick', '{"side": "home", "taker": "A12", "scored": true}'), 'refused not_on_pitch', 'football.kick refuses not_on_pitch');
select is(build.play('kick', '{"side": "away", "taker": "B1", "scored": true}'), 'refused sent_off', 'who was sent off');
select build.plays('final', (select jsonb_agg(jsonb_build_array('kick', jsonb_build_object('side', s.side, 'taker', s.letter || i, 'scored', true)) order by i, s.side desc)
    from generate_series(2, 10) i, (values ('home', 'A'), ('away', 'B')) s (side, letter)));
select is(build.play('kick', '{"side": "home", "taker": "A2", "scored": true}'), 'refused already_kicked', 'ten each: nine have kicked');
select is(build.play('kick', '{"side": "home", "taker": "A11", "scored": true}'), 'accepted', 'the tenth');
select is(build.play('kick', '{"side": "away", "taker": "B11", "scored": true}'), 'accepted', 'the tenth of the side that has ten');
select is(build.play('kick', '{"side": "home", "taker": "A2", "scored": true}'), 'accepted', 'a new round; neither staff nor bench made it shorter');

select * from finish();
rollback;
