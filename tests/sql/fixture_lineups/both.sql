begin;
\ir ../builders.sql
select plan(2);

select build.fixture();
select is(sport.fixture_lineups(build.subject('fixture', 'final')), null, 'none');
select build.lineup('away');
select is(sport.fixture_lineups(build.subject('fixture', 'final')) #>> '{away,B12}', 'bench', 'one side''s');

select * from finish();
rollback;
