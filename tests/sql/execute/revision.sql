begin;
\ir ../builders.sql
select plan(9);

select build.fixture();
-- commentary, as a command that states the revision
create or replace function road.command_traits(p_workflow text, p_code text, p_kind text) returns road.command_traits language sql immutable as $$
    select row ('revision', false, false, 'full', '{}'::text[], interval '30 days')::road.command_traits
$$;
create function build.revision() returns jsonb language sql as $$
    select jsonb_build_object('revision', road.read('fixture', 'final') -> 'revision')
$$;
create function build.line(p_saw jsonb, p_key text default null) returns build.answered language sql as $$
    select build.command('fixture.note', 'final', '{"text": "x"}', p_saw, p_key => p_key)
$$;

select is(build.brief(build.line(null)), 'refused version_missing', 'missing is not equal');
select is(build.brief(build.line('{}')), 'refused version_missing', 'nor is a saw without it');
create temp table before as select build.revision() as revision;
select is(build.brief(build.line((select revision from before), 'k')), 'accepted', 'the present one');
select isnt(build.revision(), (select revision from before), 'which is another one now');
create temp table moved as select * from build.line((select revision from before));
select is((select outcome from moved), 'conflict', 'an old one is a conflict');
select is((select body #> '{changed,0,value}' from moved), build.revision(), 'that carries the present one');
select is(build.brief(build.line('{"revision": null}')), 'conflict version_moved', 'null is none of a subject that is there');
select is(build.brief(build.line((select revision from before), 'k')), 'duplicate', 'what was accepted is a duplicate whatever was seen');
select is((select count(*) from road.log l where l.code = 'note'), 1::bigint, 'one was applied');

select * from finish();
rollback;
