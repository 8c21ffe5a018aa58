begin;
\ir ../builders.sql
select plan(15);

select build.fixture();
select is(build.lineup('home'), 'accepted', 'eleven, seven, one');
select is((select people ->> 'A12' from sport.fixture_lineup where side = 'home'), 'bench', 'kept');
select is(build.lineup('home'), 'accepted', 'changed before kick-off');
select is((select count(*) from sport.fixture_lineup), 1::bigint, 'one row');
create function build.l(p_change jsonb, p_side text default 'home') returns text language sql as $$
    select build.edited('fixture.lineup_set', '{"starters": ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11"], "keeper": "A1"}'::jsonb || jsonb_build_object('side', p_side) || p_change)
$$;
select is(build.l('{"bench": ["A11"]}'), 'refused twice_named', 'fixture.lineup_set refuses twice_named');
select is(build.l('{"starters": ["A1", "A2"]}'), 'refused wrong_number', 'fixture.lineup_set refuses wrong_number');
select is(build.l('{"keeper": "A12", "bench": ["A12"]}'), 'refused keeper_not_starting', 'fixture.lineup_set refuses keeper_not_starting');
select is(build.l('{}', 'away'), 'refused in_both_sides', 'fixture.lineup_set refuses in_both_sides; SP-10');
select build.edited('event.squad_put', (select jsonb_build_object('team', 'Reds', 'members', jsonb_agg(jsonb_build_object('person', 'A' || i, 'shirt', i))) from generate_series(1, 11) i), 'cup');
select is(build.l('{"bench": ["A12"]}'), 'refused not_in_squad', 'fixture.lineup_set refuses not_in_squad');
select is(build.l('{"staff": ["Coach"]}'), 'accepted', 'staff need not be in it');
select is(build.brief(build.command('fixture.lineup_set', 'final', '{"side": "home", "starters": [], "keeper": "x"}', '{"rows": {"fixture/final/lineup/home": 1}}')), 'conflict version_moved', 'who saw an older line-up');
select is(build.brief(build.command('fixture.lineup_set', 'final', '{"side": "home", "starters": [], "keeper": "x"}', '{"rows": {}}')), 'refused version_missing', 'who says nothing');
select build.put('{"settings": {"starters": 2}}', 'five');
select is(build.edited('fixture.lineup_set', '{"side": "home", "starters": ["A1", "A2"], "keeper": "A1"}', 'five'), 'accepted', 'the settings say how many');
select build.plays('final', '[["period_start", {"period": "H1"}]]');
select is(build.l('{}'), 'refused already_started', 'fixture.lineup_set refuses already_started');
select is((select count(*) from sport.fixture_lineup), 2::bigint, 'refusals wrote nothing');

select * from finish();
rollback;
