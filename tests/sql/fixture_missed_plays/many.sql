-- A conflict is bounded, however much was missed.
begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
insert into sport.play (fixture_id, seq, workflow, code, input, changed_seq)
select build.subject('fixture', 'final'), i, 'football', 'goal', '{"side": "home", "minute": 5}', i from generate_series(3, 602) i;
create function build.missed(p_saw jsonb) returns setof road.current_row language sql as $$
    select m.* from sport.fixture_missed_plays(row ('football', 'goal', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        '{}'::jsonb, p_saw, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) m
$$;
select is((select count(*) from build.missed('{"play": null}')), 501::bigint, 'the last 500, and a row that says so');
select is((select array[min(row_id), min(changed_seq)::text, min(value::text)] from build.missed('{"play": null}') where row_id !~ '/play/'), array['fixture/final/plays', '102', '{"more": true, "until": 102}'], 'up to where they are left out');
select is((select array[min(changed_seq), max(changed_seq)] from build.missed('{"play": null}') where row_id ~ '/play/'), array[103, 602]::bigint[], 'from there on all');
select is((select count(*) from build.missed('{"play": 102}')), 500::bigint, 'of 500 none is left out');
select is((select count(*) from build.missed('{"play": 102}') where value ? 'more'), 0::bigint, 'so nothing says it');
update road.subject set last_play_seq = 602, last_seq = 602 where ref = 'final';
select is((select jsonb_build_array(c.body #> '{changed,0,value,more}', jsonb_array_length(c.body -> 'changed')) from build.command('football.goal', 'final', '{"side": "home", "minute": 5}', '{"play": null}') c), '[true, 501]', 'the answer begins with it');

select * from finish();
rollback;
