begin;
\ir ../builders.sql
select plan(2);

select build.running_fixture();
create function build.row(p_play int) returns text language sql as $$
    select string_agg(r.row_id || ' ' || r.changed_seq || ' ' || (r.value ->> 'code'), ',') from sport.fixture_play_row(row ('fixture', 'play_void', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        jsonb_build_object('play', p_play), null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r
$$;
select is(build.row(2), 'fixture/final/play/2 2 period_start', 'the play');
select is(build.row(3), null, 'there is none');

select * from finish();
rollback;
