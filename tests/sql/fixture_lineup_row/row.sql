begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
create function build.row() returns text language sql as $$
    select r.row_id || ' ' || coalesce(r.changed_seq::text, 'none') from sport.fixture_lineup_row(row ('fixture', 'lineup_set', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        '{"side": "away"}', null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r
$$;
select is(build.row(), 'fixture/final/lineup/away none', 'there is none');
select build.lineup('away');
select is(build.row(), 'fixture/final/lineup/away 2', 'as it is');

select * from finish();
rollback;
