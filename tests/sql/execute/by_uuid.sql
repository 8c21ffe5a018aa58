begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
create temp table said as select * from build.command('fixture.note', build.subject('fixture', 'final')::text, '{"text": "x"}', p_key => 'u');

select is((select outcome from said), 'accepted', 'a subject may be named by its uuid');
select is((select body #>> '{subject,ref}' from said), 'final', 'the answer names its reference');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'u')), 'duplicate', 'C-058: the hash is over the resolved subject');
select is(build.brief(build.command('fixture.note', upper(build.subject('fixture', 'final')::text), '{"text": "x"}')), 'refused subject_not_found', 'a uuid is in lower case; anything else is a reference');

select * from finish();
rollback;
