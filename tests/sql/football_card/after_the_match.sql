begin;
\ir ../builders.sql
select plan(3);

select build.level_fixture();
select is((select status from sport.fixture_status), 'finished', 'the match is over');
select is(build.play('card', '{"side": "home", "person": "Ann", "card": "red", "minute": 90}'), 'accepted', 'a card may still be shown');
select is((select status from sport.fixture_status), 'finished', 'and it stays over');

select * from finish();
rollback;
