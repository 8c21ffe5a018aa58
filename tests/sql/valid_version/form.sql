begin;
\ir ../builders.sql
select plan(2);

select is((select array_agg(v) from unnest(array['null', '0', '1', '999999999999999999']::jsonb[]) v where road.valid_version(v) is distinct from true), null, 'a log number or null');
select is((select array_agg(v) from unnest(array['"1"', '1.5', '1.0', '-1', '1e30', '1000000000000000000', 'true', '{}', '[]']::jsonb[]) v where road.valid_version(v) is distinct from false), null, 'nothing else');

select * from finish();
rollback;
