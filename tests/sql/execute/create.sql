begin;
\ir ../builders.sql
select plan(17);

select build.sender();
create temp table said as select * from build.command('event.create', 'cup', '{"name": "Cup"}', p_key => 'c');

select is((select (outcome, seq)::text from said), '(accepted,1)', 'a create is log number 1');
select is((select (kind, ref, last_seq, last_play_seq, lock_rank, parent_id is null)::text from road.subject), '(event,cup,1,0,10,t)', 'the subject has its number and its rank');
select is((select body #>> '{subject,id}' from said), (select subject_id::text from road.subject), 'the answer names the new id');
select is((select subject_id from road.command where command_id = 'c'), (select subject_id from road.subject), 'so does the command row');
select is(build.brief(build.command('event.create', 'cup', '{"name": "Cup"}', p_key => 'c')), 'duplicate', 'a retry is a duplicate');
select is((build.command('event.create', 'cup', '{"name": "Cup"}', p_key => 'c')).body -> 'subject', (select body -> 'subject' from said), 'which names the subject');
select is(build.brief(build.command('event.create', 'cup', '{"name": "Cup"}', p_key => 'c2')), 'refused exists', 'another key: the reference is taken');
select is((select outcome from road.command where command_id = 'c2'), 'refused', 'which is stored');
select is(build.brief(build.command('event.create', 'cup', '{"name": "Cup"}', p_key => 'c2')), 'duplicate', 'and stays the answer');
select is(build.brief(build.command('event.create', '', '{"name": "Cup"}')), 'refused bad_input', 'an empty reference');
select is(build.brief(build.command('event.create', 'a b', '{"name": "Cup"}')), 'refused bad_input', 'a blank');
select is(build.brief(build.command('event.create', repeat('x', 129), '{"name": "Cup"}')), 'refused bad_input', '129 characters');
select is(build.brief(build.command('event.create', E'cup\n', '{"name": "Cup"}')), 'refused bad_input', 'a line end at the end');
select is(build.brief(build.command('event.create', '00000000-0000-4000-8000-000000000000', '{"name": "Cup"}')), 'refused bad_input', 'a uuid of nobody');
select is(build.brief(build.command('event.create', build.subject('event', 'cup')::text, '{"name": "Cup"}')), 'refused bad_input', 'the uuid of an event that is there');
select is(build.brief(build.command('event.create', repeat('x', 128), '{"name": "Cup"}')), 'accepted', '128 characters');
select is_empty('select * from road.invariants()', 'every invariant holds');

select * from finish();
rollback;
