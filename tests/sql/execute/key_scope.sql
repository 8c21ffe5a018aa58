begin;
\ir ../builders.sql
select plan(6);

select build.fixture();
select build.sender('provider', p_may_act => true);

select is(build.brief(build.command('fixture.note', 'final', '{"text": "a"}', p_key => '1001')), 'accepted', 'a key');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "b"}', p_key => '1001', p_sender => 'provider')), 'accepted', 'ID-15: the same key of another sender is another key');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "c"}', p_key => '1001', p_sender => 'provider', p_actor => 'ann')), 'accepted', 'ID-15: the same key for an actor is another key');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "d"}', p_key => '1001', p_sender => 'provider', p_actor => 'bob')), 'accepted', 'and for another actor again');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "c"}', p_key => '1001', p_sender => 'provider', p_actor => 'ann')), 'duplicate', 'within its scope it is remembered');
select is((select array_agg(actor order by seq) from road.log where command_id = '1001'), array['', '', 'ann', 'bob'], 'the log says for whom');

select * from finish();
rollback;
