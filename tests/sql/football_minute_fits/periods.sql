begin;
\ir ../builders.sql
select plan(4);

select is((select array_agg(m order by m) from generate_series(0, 130) m where sport.football_minute_fits('H1', m)), (select array_agg(m) from generate_series(1, 45) m), 'H1: 1 to 45');
select is((select array_agg(m order by m) from generate_series(0, 130) m where sport.football_minute_fits('H2', m)), (select array_agg(m) from generate_series(46, 90) m), 'H2: 46 to 90');
select is((select array_agg(m order by m) from generate_series(0, 130) m where sport.football_minute_fits('ET1', m)), (select array_agg(m) from generate_series(91, 105) m), 'ET1: 91 to 105');
select is((select array_agg(m order by m) from generate_series(0, 130) m where sport.football_minute_fits('ET2', m)), (select array_agg(m) from generate_series(106, 120) m), 'ET2: 106 to 120');

select * from finish();
rollback;
