begin;
\ir ../builders.sql
select plan(2);

select is(sport.noted('[]', 3, 'one'), '[{"seq": 3, "note": "one"}]', 'a note');
select is(sport.noted('[1]', 3, null), '[1]', 'no note');

select * from finish();
rollback;
