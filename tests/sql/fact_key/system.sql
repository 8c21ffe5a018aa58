begin;
\ir ../builders.sql
select plan(13);

select build.fixture();
create function build.system(p_fact jsonb, p_text text) returns build.answered language sql as $$
    select build.command('fixture.note', 'final', jsonb_build_object('text', p_text), null,
        road.fact_key('fixture', 'note', 'fixture', 'final', p_fact), 'system')
$$;
select is(build.brief(build.system('{"official_at": 1}', 'x')), 'accepted', 'system may send');
select is(build.brief(build.system('{"official_at": 1}', 'x')), 'duplicate', 'a fact that is found again is a duplicate');
select is(build.brief(build.system('{"official_at": 1}', 'y')), 'refused key_reused', 'with another input it is refused');
select is(build.brief(build.system('{"official_at": 2}', 'x')), 'accepted', 'another fact is another command');
select is((select count(*) from road.log where sender = 'system'), 2::bigint, 'the log says who it was');

select is((select row (token_sha256, old_token_sha256, disabled_at)::text from road.sender where sender = 'system'), '(,,)', 'it has no token');
select is((select count(*) from road.sender_by_token(null)), 0::bigint, 'so no token is its own');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'system', p_token => '')), 'refused sender_unknown', 'nor is an empty one');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x"}', p_sender => 'system', p_token => 'tester')), 'refused sender_unknown', 'nor is somebody else''s');
select throws_ok($$update road.sender set token_sha256 = sha256('x') where sender = 'system'$$, '23514', null, 'it cannot be given one');
select throws_ok($$update road.sender set disabled_at = now() where sender = 'system'$$, '23514', null, 'nor be shut out');
select throws_ok($$update road.sender set token_sha256 = null where sender = 'tester'$$, '23514', null, 'everybody else has one');
select throws_ok($$select road.sender_add('system', sha256('x'))$$, 'UM003', null, 'its name is taken');

select * from finish();
rollback;
