begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
create temp table composed as select build.command('fixture.note', 'final', jsonb_build_object('text', U&'caf\00e9'), p_key => 'u') as said;
select is(build.brief(build.command('fixture.note', 'final', jsonb_build_object('text', U&'cafe\0301'), p_key => 'u')), 'refused key_reused', 'ID-12: composed and decomposed are different texts');
select is(build.brief(build.command('fixture.note', 'final', jsonb_build_object('text', 'null byte as text: \u0000'))), 'accepted', 'PL-05: the six characters \u0000 are only text');
select throws_ok($$select '{"text": "\u0000"}'::jsonb$$, '22P05', null, 'PL-05: a NUL never gets as far as the road');
select throws_ok($$select '{"text": "\ud800"}'::jsonb$$, '22P02', null, 'ID-12: nor a lone surrogate');

select * from finish();
rollback;
