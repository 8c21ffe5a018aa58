begin;
\ir ../builders.sql
select plan(14);

select build.lined_up('final', '{"subs": 2, "sub_windows": 1, "extra_time": true}');
select is(build.play('sub', '{"side": "home", "off": "A1", "on": "A12", "minute": 5, "concussion": true}'), 'accepted', 'a concussion');
select is(build.state() #> '{subs,home}', null, 'counts against nothing');
select is(build.play('sub', '{"side": "home", "off": "A2", "on": "A13", "minute": 6}'), 'accepted', 'the first');
select is(build.play('sub', '{"side": "home", "off": "A3", "on": "A14", "minute": 7}'), 'refused sub_windows', 'football.sub refuses sub_windows');
select is(build.state() #> '{subs,home}', '{"used": 1, "windows": 1, "last": "H1/6"}', 'a refusal counts nothing');
select is(build.play('sub', '{"side": "home", "off": "A3", "on": "A14", "minute": 6}'), 'accepted', 'in the same window');
select is(build.play('sub', '{"side": "home", "off": "A4", "on": "A15", "minute": 6}'), 'refused sub_limit', 'football.sub refuses sub_limit');
select build.plays('final', '[["period_end", {"period": "H1"}]]');
select is(build.play('sub', '{"side": "away", "off": "B1", "on": "B12", "minute": 45}'), 'accepted', 'the interval is no window');
select build.plays('final', '[["period_start", {"period": "H2"}]]');
select is(build.play('sub', '{"side": "away", "off": "B2", "on": "B13", "minute": 46}'), 'accepted', 'nor is the first minute after it');
select is(build.state() #> '{subs,away,windows}', '0', 'none used');
select build.plays('final', '[["period_end", {"period": "H2"}], ["period_start", {"period": "ET1"}]]');
select is(build.play('sub', '{"side": "home", "off": "A4", "on": "A15", "minute": 95}'), 'accepted', 'one more, in one more window, in extra time');
select is(build.play('sub', '{"side": "home", "off": "A5", "on": "A16", "minute": 95}'), 'refused sub_limit', 'and no more');
select is(build.play('sub', '{"side": "home", "off": "A5", "on": "A16", "minute": 95, "concussion": true}'), 'accepted', 'but for a concussion');
select is(build.verified(), null, 'a replay gives the same');

select * from finish();
rollback;
