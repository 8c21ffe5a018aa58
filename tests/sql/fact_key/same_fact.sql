begin;
\ir ../builders.sql
select plan(14);

select build.fixture();
create function build.key(p_fact jsonb, p_ref text default 'final', p_code text default 'note') returns text language sql as
$$select road.fact_key('fixture', p_code, 'fixture', p_ref, p_fact)$$;

select is(build.key('{"fixture": "semi", "official_at": 123}'), 'fixture.note fixture/final {"fixture": "semi", "official_at": 123}', 'an operator can read it');
select is(build.key('{"official_at": 123,"fixture":"semi"}'), build.key('{"fixture": "semi", "official_at": 123}'), 'the order of members does not count');
select is(build.key('{"a": 1}', build.subject('fixture', 'final')::text), build.key('{"a": 1}'), 'a subject''s uuid and its reference are one');
select isnt(build.key('{"a": 1}', 'other'), build.key('{"a": 1}'), 'another subject, another key');
select isnt(build.key('{"a": 1}', p_code => 'result_set'), build.key('{"a": 1}'), 'another command, another key');
select isnt(build.key('{"a": 2}'), build.key('{"a": 1}'), 'another fact, another key');
select is(road.fact_key('event', 'create', 'event', 'new', '{"a": 1}'), 'event.create event/new {"a": 1}', 'the subject need not be there');
select is(road.fact_key('event', 'create', 'event', '00000000-0000-0000-0000-000000000000', '{"a": 1}'),
    'event.create event/00000000-0000-0000-0000-000000000000 {"a": 1}', 'a uuid of nobody stays what it is');

select is(length(build.key(jsonb_build_object('a', repeat('x', 500)))), 200, 'a long one has the greatest length that a key may have');
select isnt(build.key(jsonb_build_object('a', repeat('x', 500) || '1')), build.key(jsonb_build_object('a', repeat('x', 500) || '2')), 'its end is a hash of all of it');

select throws_ok($$select build.key('[1]')$$, 'UM003', null, 'an array is no fact');
select throws_ok($$select build.key('{}')$$, 'UM003', null, 'nothing is no fact');
select throws_ok($$select build.key('null')$$, 'UM003', null, 'null is no fact');
select throws_ok($$select build.key(null)$$, 'UM003', null, 'nor is NULL');

select * from finish();
rollback;
