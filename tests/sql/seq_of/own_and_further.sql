begin;
\ir ../builders.sql
select plan(3);

create temp table c as select row ('w', 'c', 'event', 'x', '00000000-0000-4000-8000-000000000001', null, 's', '', 'k', '{}'::jsonb, null, null, null, 5, 0,
    array['00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003']::uuid[], array[7, 9]::bigint[])::road.call as cmd;
select is((select road.seq_of(cmd, '00000000-0000-4000-8000-000000000001') from c), 5::bigint, 'its own subject');
select is((select road.seq_of(cmd, '00000000-0000-4000-8000-000000000003') from c), 9::bigint, 'a further one');
select is((select road.seq_of(cmd, '00000000-0000-4000-8000-000000000004') from c), null, 'one it holds no lock on');

select * from finish();
rollback;
