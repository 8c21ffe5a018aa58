begin;
\ir ../builders.sql
select plan(7);

create temp table s as select '{"lineup": {"home": {"Ann": "start", "Bea": "bench", "Cid": "staff", "Dee": "start"}}, "pitch": {"home/Dee": "off", "home/Eve": "on"}}'::jsonb as state;
select is(sport.football_on_pitch(state, 'home', 'Ann'), true, 'starts') from s;
select is(sport.football_on_pitch(state, 'home', 'Bea'), false, 'sits on the bench') from s;
select is(sport.football_on_pitch(state, 'home', 'Cid'), false, 'staff') from s;
select is(sport.football_on_pitch(state, 'home', 'Dee'), false, 'went off') from s;
select is(sport.football_on_pitch(state, 'home', 'Eve'), true, 'came on') from s;
select is(sport.football_on_pitch(state, 'home', 'Zoe'), false, 'nobody knows') from s;
select is(array[sport.football_on_pitch(state, 'away', 'Ann'), sport.football_on_pitch(state, 'home', null), sport.football_on_pitch('{}', 'home', 'Ann')], array[null, null, null]::boolean[], 'not known') from s;

select * from finish();
rollback;
