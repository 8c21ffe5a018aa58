begin;
\ir ../builders.sql
select plan(1);

select build.fixture();
select is(sport.fixture_shown(build.subject('fixture', 'final'), 'score'), null, 'nobody has said anything');

select * from finish();
rollback;
