begin;
\ir ../builders.sql
select plan(1);

select is(array(select sport.darts_points(d) from unnest(array['S20', 'D20', 'T20', 'S1', '25', '50', '0']) with ordinality x (d, n) order by n),
    array[20, 40, 60, 1, 25, 50, 0], 'what a dart counts');

select * from finish();
rollback;
