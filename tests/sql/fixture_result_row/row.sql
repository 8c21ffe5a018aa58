begin;
\ir ../builders.sql
select plan(2);

select build.level_fixture();
create function build.row() returns text language sql as $$
    select r.row_id || ' ' || coalesce(r.value ->> 'result_status', 'none') from sport.fixture_result_row(row ('fixture', 'result_set', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        '{}', null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r
$$;
select is(build.row(), 'fixture/final/result none', 'there is none');
select build.edited('fixture.result_status', '{"to": "provisional"}');
select is(build.row(), 'fixture/final/result provisional', 'as it is');

select * from finish();
rollback;
