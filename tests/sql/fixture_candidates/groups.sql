begin;
\ir ../builders.sql
select plan(5);

select build.fixture();
create function build.of(p_group text) returns text language sql as $$
    select string_agg(c.source || ' ' || coalesce(c.rank::text, '-'), ', ' order by c.rank, c.source) from sport.fixture_candidates(build.subject('fixture', 'final'), p_group) c
$$;
select is(build.of('score'), null, 'nobody has said anything about the score');
select is(build.of('schedule'), 'entered -1', 'the schedule is our own');
select is(build.of('lineup'), null, 'no line-up');
select build.lineup('home');
select is(build.of('lineup'), 'entered -1', 'a line-up');
select build.edited('event.sources_set', '{"group": "schedule", "order": ["feed-a", "entered"]}', 'cup');
select is(build.of('schedule'), 'entered 2', 'ranked as the event says');

select * from finish();
rollback;
