begin;
\ir ../builders.sql
select plan(4);

select build.fixture();
update road.catalogue_command set log_input = 'redacted', log_drop = '{minute}' where workflow = 'fixture' and code = 'note';
\ir ../../../functions/road/dispatchers.sql
select build.command('fixture.note', 'final', '{"text": "x", "minute": 3}', p_key => 'redacted');
update road.catalogue_command set log_input = 'none' where workflow = 'fixture' and code = 'note';
\ir ../../../functions/road/dispatchers.sql
select build.command('fixture.note', 'final', '{"text": "x", "minute": 3}', p_key => 'none');

select is((select input from road.log where command_id = 'redacted'), '{"text": "x"}', 'redacted: named members are left out of the log');
select is((select input from road.log where command_id = 'none'), null, 'none: the log keeps no input');
select is(build.brief(build.command('fixture.note', 'final', '{"text": "x", "minute": 4}', p_key => 'none')), 'refused key_reused', 'the hash is over the whole input all the same');
update road.catalogue_command set log_input = 'redacted', log_drop = '{venue}' where workflow = 'event' and code = 'fixture_put';
\ir ../../../functions/road/dispatchers.sql
select build.put('{"venue": "secret"}');
select is((select count(*) from road.log where input ? 'venue'), 0::bigint, 'also in the log rows of further subjects');

select * from finish();
rollback;
