begin;
\ir ../builders.sql
select plan(6);

select build.fixture();
select build.sender('provider');
select build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'k');
select is(road.saved_command('tester', 'k') #>> '{first,outcome}', 'accepted', 'C-056: was it saved?');
select is(road.saved_command('tester', 'k') ->> 'outcome', 'accepted', 'with its outcome');
select is((select array_agg(k order by k) from jsonb_object_keys(road.saved_command('tester', 'k')) k), array['expires_at', 'finished_at', 'first', 'outcome', 'received_at'], 'and until when the key is remembered');
select is(road.saved_command('provider', 'k'), null, 'ID-15: a sender sees its own keys only');
select is(road.saved_command('tester', 'k', 'ann'), null, 'and those of that actor');
select is(road.saved_command('tester', 'other'), null, 'nothing was saved: null');

select * from finish();
rollback;
