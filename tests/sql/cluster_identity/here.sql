begin;
\ir ../builders.sql
select plan(2);

select is((select i.system_identifier from road.cluster_identity() i), (select s.system_identifier from pg_control_system() s), 'the cluster''s own number');
select is((select i.timeline from road.cluster_identity() i), 1, 'the timeline of the WAL that is being written');

select * from finish();
rollback;
