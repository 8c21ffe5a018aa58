begin;
\ir ../builders.sql
select plan(7);

create temp table s as select '{"pitch": {"home/Dee": "off", "home/Eve": "on"}}'::jsonb as state, '{"home": {"Ann": "start", "Bea": "bench", "Cid": "staff", "Dee": "start"}}'::jsonb as lineup;
select is(sport.football_on_pitch(state, lineup, 'home', 'Ann'), true, 'starts') from s;
select is(sport.football_on_pitch(state, lineup, 'home', 'Bea'), false, 'sits on the bench') from s;
select is(sport.football_on_pitch(state, lineup, 'home', 'Cid'), false, 'staff') from s;
select is(sport.football_on_pitch(state, lineup, 'home', 'Dee'), false, 'went off') from s;
select is(sport.football_on_pitch(state, lineup, 'home', 'Eve'), true, 'came on') from s;
select is(sport.football_on_pitch(state, lineup, 'home', 'Zoe'), false, 'nobody knows') from s;
select is(array[sport.football_on_pitch(state, lineup, 'away', 'Ann'), sport.football_on_pitch(state, lineup, 'home', null), sport.football_on_pitch('{}', null, 'home', 'Ann')], array[null, null, null]::boolean[], 'not known') from s;

select * from finish();
rollback;
