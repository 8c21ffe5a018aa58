begin;
\ir ../builders.sql
select plan(11);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
select is(build.verified(), null, 'all is well');
savepoint s;
update sport.fixture_score set state = jsonb_set(state, '{score,home}', '2');
select matches(build.verified(), '^shown .*, replayed ', 'SP-11: another score');
rollback to s;
update sport.fixture_score set changed_seq = 2;
select is(build.verified(), 'score was changed by 2, the last play is 3', 'another version');
rollback to s;
update sport.fixture_status set status = 'finished';
select is(build.verified(), 'status shown finished, replayed running', 'another status');
update sport.fixture_status set status = 'postponed';
select is(build.verified(), 'status shown postponed, replayed running', 'one that cannot be after a play');
update sport.fixture_status set status = 'suspended';
select is(build.verified(), null, 'one that can');
rollback to s;
delete from sport.play;
update sport.fixture_score set state = '{}';
update sport.fixture_status set status = 'abandoned';
select is(build.verified(), 'status shown abandoned, replayed scheduled', 'one that needs a play');
rollback to s;
update sport.play set input = '{"side": "home", "minute": 60}' where seq = 3;
select is(build.verified(), 'play 3 is refused in a replay: The minute is not of the period that is running.', 'a play that the rules forbid');
rollback to s;
delete from sport.play where seq = 3;
select matches(build.verified(), '^shown .*, replayed ', 'a play that is gone');
rollback to s;
select is(sport.fixture_verify('00000000-0000-4000-8000-000000000000'), 'has no fixture row', 'a subject without a fixture');
select is(build.verified(), null, 'and all is well again');

select * from finish();
rollback;
