-- A version that cannot be one must not break the command.
begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
create function build.edit(p_version jsonb) returns text language sql as $$
    select build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}',
        jsonb_build_object('rows', jsonb_build_object('fixture/final/schedule', p_version))))
$$;
select is(build.edit('"abc"'), 'refused bad_input', 'a text');
select is(build.edit('"1"'), 'refused bad_input', 'a number as text');
select is(build.edit('1.5'), 'refused bad_input', 'a fraction');
select is(build.edit('-1'), 'refused bad_input', 'a negative number');
select is(build.edit('1e30'), 'refused bad_input', 'a huge number');
select is(build.edit('{}'), 'refused bad_input', 'an object');
select is(build.edit('true'), 'refused bad_input', 'a boolean');
select is((select last_seq from road.subject where ref = 'cup'), 2::bigint, 'and none of them is accepted');

select * from finish();
rollback;
