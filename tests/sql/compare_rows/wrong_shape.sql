-- A version that cannot be one must not break the command.
begin;
\ir ../builders.sql
select plan(6);

select build.fixture();
create function build.edit(p_version jsonb) returns text language sql as $$
    select build.brief(build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}',
        jsonb_build_object('rows', jsonb_build_object('fixture/final/schedule', p_version))))
$$;
select lives_ok($$select build.edit('"abc"')$$, 'a text');
select lives_ok($$select build.edit('1.5')$$, 'a fraction');
select lives_ok($$select build.edit('1e30')$$, 'a huge number');
select lives_ok($$select build.edit('{}')$$, 'an object');
select lives_ok($$select build.edit('true')$$, 'a boolean');
select is((select last_seq from road.subject where ref = 'cup'), 2::bigint, 'and none of them is accepted');

select * from finish();
rollback;
