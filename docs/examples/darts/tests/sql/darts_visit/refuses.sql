begin;
\ir ../builders.sql
select plan(8);

select build.fixture(p_sport => 'darts');
create function build.visit(p_side text, variadic p_darts text[]) returns text language sql as
$$select build.brief(build.command('darts.visit', 'final', jsonb_build_object('side', p_side, 'darts', p_darts), build.saw()))$$;
select is(build.visit('home', 'T20', 'T20', 'T20'), 'refused not_running', 'darts.visit refuses not_running');
select build.command('darts.throw_off', 'final', '{"side": "home"}', '{"play": null}');
select is(build.visit('away', 'T20', 'T20', 'T20'), 'refused out_of_turn', 'darts.visit refuses out_of_turn');
select is(build.visit('home', 'T20', 'T20'), 'refused darts_missing', 'darts.visit refuses darts_missing');
select is(build.visit('home', 'T20', 'T20', 'T20'), 'accepted', '180');
select is(build.visit('home', 'T20', 'T20', 'T20'), 'refused out_of_turn', 'then it is the other side''s turn');
update sport.fixture_score set state = jsonb_set(state, '{score,away}', '40');
select is(build.visit('away', 'D20', 'S1'), 'refused visit_over', 'darts.visit refuses visit_over');
select is(build.visit('away', 'D20'), 'accepted', 'the double ends the leg');
select is(build.visit('home', 'S1', 'S1', 'S1'), 'refused not_running', 'nothing after it');

select * from finish();
rollback;
