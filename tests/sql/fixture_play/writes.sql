begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
create temp table said as select * from build.command('football.goal', 'final', '{"side": "away", "minute": 5, "scorer": "Ann"}', build.saw());
select is((select body -> 'result' from said), '{"play": 3, "input": {"side": "away", "minute": 5, "scorer": "Ann"}, "period": "H1", "status": "running",
    "before": {"home": 0, "away": 0}, "score": {"home": 0, "away": 1}, "shootout": null}', 'the result is the play and the score before and after');
select is((select body from road.note where code = 'goal'), (select body -> 'result' from said), 'the note says the same');
select is((select (seq, workflow, code, input)::text from sport.play order by seq desc limit 1), '(3,football,goal,"{""side"": ""away"", ""minute"": 5, ""scorer"": ""Ann""}")', 'C-014: the play');
select is((select (changed_seq, state -> 'score')::text from sport.fixture_score), '(3,"{""away"": 1, ""home"": 0}")', 'C-052: the score with the play''s number');
select is((select changed_seq from sport.fixture_status), 2::bigint, 'the status was not touched: it did not change');
select is((select last_play_seq from road.subject where ref = 'final'), 3::bigint, 'C-073: the last play');

select * from finish();
rollback;
