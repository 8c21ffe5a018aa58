begin;
\ir ../builders.sql
select plan(2);

create function build.advances() returns boolean language plpgsql as $$
declare
    v_before timestamptz := road.now();
begin
    perform pg_sleep(0.001);
    return road.now() > v_before and road.now() > now();
end
$$;
select ok(build.advances(), 'the clock goes on within a transaction');
select build.clock('2030-01-01 00:00+00');
select is(road.now(), '2030-01-01 00:00+00'::timestamptz, 'a test may set it');

select * from finish();
rollback;
