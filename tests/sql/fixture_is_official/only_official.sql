begin;
\ir ../builders.sql
select plan(3);

select build.level_fixture();
select is(sport.fixture_is_official(build.subject('fixture', 'final')), false, 'nobody has said so');
select build.edited('fixture.result_status', '{"to": "unofficial"}');
select is(sport.fixture_is_official(build.subject('fixture', 'final')), false, 'unofficial');
select build.edited('fixture.result_status', '{"to": "official"}');
select is(sport.fixture_is_official(build.subject('fixture', 'final')), true, 'official');

select * from finish();
rollback;
