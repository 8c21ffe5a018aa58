begin;
\ir ../builders.sql
select plan(8);

select build.fixture();
select build.clock('2030-01-01 12:00+00');
select road.record_failure('tester', '', 'open', 'fixture', 'note', '22012', 'line 1');
select build.clock('2030-01-01 12:01+00');
select road.record_failure('tester', '', 'mended', 'fixture', 'note', '22012', 'line 1');
select road.record_failure('tester', 'ann', 'mended', 'fixture', 'note', '22012', 'line 1');
select build.clock('2030-01-01 12:02+00');
select build.command('fixture.note', 'final', '{"text": "x"}', p_key => 'mended');

select is((select count(*) from road.failure_list()), 3::bigint, 'a failure stays when its key succeeds');
select is((select (became, became_at)::text from road.failure_list() where command_id = 'mended' and actor = ''), '(accepted,"2030-01-01 12:02:00+00")', 'and says what became of it');
select is((select became from road.failure_list() where command_id = 'open'), null, 'nothing did of the other');
select is((select became from road.failure_list() where actor = 'ann'), null, 'nor of another actor''s key');
select is((select array_agg(command_id || actor order by command_id) from road.failure_list(p_open_only => true)), array['mendedann', 'open'], 'those that are open alone');
select is((select array_agg(command_id) from road.failure_list(p_limit => 1)), array['mended'], 'the latest first');
select build.clock('2030-06-01 12:00+00');
select is((select became from road.failure_list() where command_id = 'mended' and actor = ''), null, 'an expired key is nobody''s');
select is((select array_agg(k order by k) from jsonb_object_keys((select to_jsonb(l) from road.failure_list() l limit 1)) k),
    array['actor', 'attempts', 'became', 'became_at', 'code', 'command_id', 'first_at', 'last_at', 'last_error', 'sender', 'sqlstate', 'workflow'], 'no input and no answer');

select * from finish();
rollback;
