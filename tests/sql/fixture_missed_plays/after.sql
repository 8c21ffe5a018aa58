begin;
\ir ../builders.sql
select plan(3);

select build.running_fixture();
select build.command('fixture.note', 'final', '{"text": "x"}');
select build.play('goal', '{"side": "home", "minute": 5}');
create function build.missed(p_saw jsonb) returns text[] language sql as $$
    select array_agg(m.row_id) from sport.fixture_missed_plays(row ('football', 'goal', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        '{}'::jsonb, p_saw, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) m
$$;
select is(build.missed('{"play": null}'), array['fixture/final/play/2', 'fixture/final/play/4'], 'who saw none missed all, in order');
select is(build.missed('{"play": 2}'), array['fixture/final/play/4'], 'C-074: only what came after');
select is(build.missed('{"play": 4}'), null, 'who saw the last missed none');

select * from finish();
rollback;
