begin;
\ir ../builders.sql
select plan(9);

select is(sport.fixture_winner('{"home": 10, "away": 9}', null), 'home', 'more goals, as numbers');
select is(sport.fixture_winner('{"home": 0, "away": 1, "shootout": {"home": 5, "away": 0}}', null), 'away', 'what follows a score that is not level does not matter');
select is(sport.fixture_winner('{"home": 1, "away": 1}', null), null, 'a draw');
select is(sport.fixture_winner('{"home": 1, "away": 1, "shootout": {"home": 3, "away": 4}}', null), 'away', 'the shoot-out decides');
select is(sport.fixture_winner('{"home": 1, "away": 1}', '{"home": 1, "away": 1, "periods": {}, "shootout": {"home": 4, "away": 3}}'), 'home', 'that of the plays too, when the score is theirs');
select is(sport.fixture_winner('{"home": 2, "away": 2}', '{"home": 1, "away": 1, "periods": {}, "shootout": {"home": 4, "away": 3}}'), null, 'and not when it is another');
select is(sport.fixture_winner('{"home": 1}', '{"home": 1, "away": 0}'), null, 'half a score says nothing');
select is(sport.fixture_winner('{"home": "two", "away": 1}', null), null, 'nor does one of words');
select is(sport.fixture_winner(null, null), null, 'nor none');

select * from finish();
rollback;
