begin;
\ir ../builders.sql
select plan(21);

select build.fixture('final', '{"shootout": true}');
select is(build.play('var', '{"stage": "check"}'), 'refused not_started', 'football.var refuses not_started');
select build.lineup('home'), build.lineup('away');
select build.plays('final', '[["period_start", {"period": "H1"}], ["card", {"side": "home", "person": "A5", "card": "red", "minute": 1}], ["card", {"side": "home", "person": "A6", "card": "yellow", "minute": 1}]]');
select is(build.play('var', '{"stage": "changed"}'), 'refused outcome_missing', 'football.var refuses outcome_missing');
select is(build.play('var', '{"stage": "check", "void": true, "play": 3}'), 'refused outcome_early', 'football.var refuses outcome_early');
select is(build.play('var', '{"stage": "changed", "void": true}'), 'refused play_missing', 'football.var refuses play_missing');
select is(build.play('var', '{"stage": "changed", "void": true, "play": 99}'), 'refused no_such_play', 'football.var refuses no_such_play; SP-03: a goal that has not arrived');
select is(build.play('var', jsonb_build_object('stage', 'changed', 'add', a.play::jsonb)), 'refused ' || a.code, 'football.var refuses ' || a.code)
from (values
    ('wrong_minute', '{"code": "goal", "input": {"side": "home", "minute": 46}}'),
    ('same_person', '{"code": "goal", "input": {"side": "home", "minute": 5, "scorer": "A7", "assist": "A7"}}'),
    ('no_assist', '{"code": "goal", "input": {"side": "home", "minute": 5, "kind": "own", "assist": "A7"}}'),
    ('sent_off', '{"code": "goal", "input": {"side": "home", "minute": 5, "scorer": "A5"}}'),
    ('not_on_pitch', '{"code": "goal", "input": {"side": "home", "minute": 5, "scorer": "A12"}}'),
    ('sent_off', '{"code": "card", "input": {"side": "home", "minute": 5, "person": "A5", "card": "yellow"}}'),
    ('already_booked', '{"code": "card", "input": {"side": "home", "minute": 5, "person": "A6", "card": "yellow"}}'),
    ('no_first_yellow', '{"code": "card", "input": {"side": "home", "minute": 5, "person": "A7", "card": "second"}}'),
    ('not_in_squad', '{"code": "card", "input": {"side": "home", "minute": 5, "person": "Zoe", "card": "yellow"}}')
) a (code, play);
select build.plays('final', '[["card", {"side": "home", "person": "A6", "card": "second", "minute": 8}]]');
create temp table said as select * from build.command('football.var', 'final', (select jsonb_build_object('stage', 'changed', 'void', true, 'play', max(seq) - 1) from sport.play), build.saw());
select is((select concat_ws(' ', outcome, reason) from said), 'refused illegal_play', 'football.var refuses illegal_play: the second yellow needs the first');
select is((select body #> '{reason,detail,code}' from said), '"no_first_yellow"', 'it says why');
select is((select body #> '{reason,detail,play}' from said), (select to_jsonb(max(seq)) from sport.play), 'and which play');
select build.plays('final', '[["period_end", {"period": "H1"}]]');
select is(build.play('var', '{"stage": "changed", "add": {"code": "goal", "input": {"side": "home", "minute": 45}}}'), 'refused not_running', 'football.var refuses not_running');
select build.plays('final', '[["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}], ["period_start", {"period": "PSO"}]]');
select is(build.play('var', '{"stage": "changed", "add": {"code": "goal", "input": {"side": "home", "minute": 90}}}'), 'refused in_shootout', 'football.var refuses in_shootout');
select is((select count(*) from sport.play where voided_by is not null), 0::bigint, 'nothing was taken out');
select is(build.verified(), null, 'a replay gives the same');

select * from finish();
rollback;
