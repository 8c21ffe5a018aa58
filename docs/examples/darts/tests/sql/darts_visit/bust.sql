begin;
\ir ../builders.sql
select plan(7);

create function build.after(p_left integer, variadic p_darts text[]) returns text language sql as $$
    select (s -> 'score' ->> 'home') || ' ' || (s ->> 'status') || ' ' || coalesce(s ->> 'turn', 'nobody')
    from sport.darts_visit(
        jsonb_build_object('status', 'running', 'turn', 'home', 'score', jsonb_build_object('home', p_left, 'away', 501), 'thrown', '{"home": 12, "away": 12}'::jsonb),
        jsonb_build_object('side', 'home', 'darts', p_darts)) s
$$;
select is(build.after(32, 'D16'), '0 finished nobody', 'a double to zero');
select is(build.after(50, '50'), '0 finished nobody', 'the bull is a double');
select is(build.after(32, 'S16', 'S16'), '32 running away', 'zero without a double is bust');
select is(build.after(32, 'S16', 'S15'), '32 running away', 'one left is bust');
select is(build.after(32, 'S19', 'T20'), '32 running away', 'below zero is bust, and the whole visit does not count');
select is(build.after(32, 'S10', 'S20', '0'), '2 running away', 'two left is not');
select is(build.after(501, 'T20', '25', '0'), '416 running away', 'a plain visit');

select * from finish();
rollback;
