-- The runbook reads who is at work off pg_stat_activity.
begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
set local application_name = 'umpire-command';
select build.command('fixture.note', 'final', '{"text": "x"}');
select is(current_setting('application_name'), 'umpire-command fixture.note tester final', 'C-131: pool, command, sender, subject');
select build.command('fixture.note', 'final', '{"text": "x"}');
select is(current_setting('application_name'), 'umpire-command fixture.note tester final', 'a second command in the same transaction does not pile up');

select * from finish();
rollback;
