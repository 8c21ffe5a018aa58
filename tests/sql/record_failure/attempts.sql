begin;
\ir ../builders.sql
select plan(6);

select is(road.record_failure('s', '', 'k', 'w', 'c', '22012', 'line 1'), 1, 'C-051: the first time');
select is(road.record_failure('s', '', 'k', 'w', 'c', '23505', 'line 2'), 2, 'the second time');
select is((select (attempts, sqlstate, last_error, last_at >= first_at)::text from road.command_failure), '(2,23505,"line 2",t)', 'the last error is kept');
select is(road.record_failure('s', 'ann', 'k', 'w', 'c', '22012', repeat('x', 5000)), 1, 'another actor''s key is another command');
select is((select length(last_error) from road.command_failure where actor = 'ann'), 2000, 'the error is cut');
select is((select count(*) from road.command), 0::bigint, 'it is no answer');

select * from finish();
rollback;
