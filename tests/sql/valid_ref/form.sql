begin;
\ir ../builders.sql
select plan(2);

select is((select array_agg(r) from unnest(array['a', 'A1', '0', 'a.b_c:d-e', repeat('x', 128), '00000000-0000-4000-8000-00000000000', 'X0000000-0000-4000-8000-000000000000']) r where road.valid_ref(r) is distinct from true), null, 'these are references');
select is((select array_agg(r) from unnest(array['', '-a', '.a', ' a', 'a ', 'a/b', E'a\n', U&'caf\00e9', repeat('x', 129), '00000000-0000-4000-8000-000000000000']) r where road.valid_ref(r) is distinct from false), null, 'these are not');

select * from finish();
rollback;
