begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
select throws_ok($$select road.create_subjects('fixture', null, array['new', 'final'])$$, 'UM001', 'A subject of this kind already has this reference.', 'one that is taken refuses all');
select is((select count(*) from road.subject where ref = 'new'), 0::bigint, 'nothing is left');
select throws_ok($$select road.create_subjects('planet', null, array['new'])$$, 'UM001', null, 'a kind that does not exist creates nothing');

select * from finish();
rollback;
