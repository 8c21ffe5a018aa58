begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
create temp table before as select s.last_seq, s.last_play_seq, (select count(*) from road.log) as logged, (select count(*) from road.note) as noted,
    (select count(*) from sport.play) as played, build.state() as state from road.subject s where s.ref = 'final';
create temp table said as select * from build.command('football.goal', 'final', '{"side": "home", "minute": 60}', build.saw(), p_key => 'late');

select is((select (outcome, reason)::text from said), '(refused,wrong_minute)', 'C-014: a rule says no');
select is((select body -> 'reason' from said),
    '{"code": "wrong_minute", "message": "The minute is not of the period that is running.", "detail": {"period": "H1"}}',
    'C-019: the reason has code, message and detail');
select is((select answer from road.command where command_id = 'late'), (select body from said), 'C-071: the refusal is stored, word for word');
select is((select (outcome, seq is null, subject_id = build.subject('fixture', 'final'))::text from road.command where command_id = 'late'), '(refused,t,t)', 'C-055: as refused, without a log number');
select results_eq(
    $$select s.last_seq, s.last_play_seq, (select count(*) from road.log), (select count(*) from road.note),
        (select count(*) from sport.play), build.state() from road.subject s where s.ref = 'final'$$,
    'select * from before', 'C-071: and nothing else is written');
select is((select (answer -> 'reason' ->> 'code') from road.command where command_id = 'late'), 'wrong_minute', 'the reason''s code travels whole');

select * from finish();
rollback;
