begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
create function build.rows(p_input jsonb) returns text language sql as $$
    select string_agg(r.row_id, ' ' order by r.row_id) from sport.fixture_status_rows(row ('fixture', 'status_set', 'fixture', 'final', build.subject('fixture', 'final'), null, 's', '', 'k',
        p_input, null, null, null, 1, 0, '{}'::uuid[], '{}'::bigint[])::road.call) r
$$;
select is(build.rows('{"status": "postponed"}'), 'fixture/final/status', 'the status');
select is(build.rows('{"status": "scheduled", "new_start": "2030-01-01T12:00:00Z"}'), 'fixture/final/schedule fixture/final/status', 'and the schedule');

select * from finish();
rollback;
