-- A bug in a handler, or anything that is no rule's no, takes everything with it and stores no answer.
begin;
\ir ../builders.sql
select plan(5);

select build.running_fixture();
create temp table before as select (select count(*) from road.command) as commands, (select count(*) from road.log) as logged;

create or replace function sport.football_fold(p_state jsonb, p_play jsonb) returns jsonb language sql as $$select jsonb_build_object('n', 1 / 0)$$;
select throws_ok($$select build.play('goal', '{"side": "home", "minute": 5}')$$, '22012', null, 'a division by zero comes through');
create or replace function sport.football_fold(p_state jsonb, p_play jsonb) returns jsonb language plpgsql as $$begin raise exception 'a bug'; end$$;
select throws_ok($$select build.play('goal', '{"side": "home", "minute": 5}')$$, 'P0001', null, 'so does raise exception without a code');
create or replace function sport.football_fold(p_state jsonb, p_play jsonb) returns jsonb language plpgsql as $$begin raise exception using errcode = 'UM002'; end$$;
select throws_ok($$select build.play('goal', '{"side": "home", "minute": 5}')$$, 'UM002', null, 'and another code of ours');
create or replace function sport.football_fold(p_state jsonb, p_play jsonb) returns jsonb language plpgsql as $$begin raise exception using errcode = '55P03'; end$$;
select throws_ok($$select build.play('goal', '{"side": "home", "minute": 5}')$$, '55P03', null, 'and a lock time-out');
select results_eq('select (select count(*) from road.command), (select count(*) from road.log)', 'select * from before', 'C-132: nothing is left of any');

select * from finish();
rollback;
