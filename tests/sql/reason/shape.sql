begin;
\ir ../builders.sql
select plan(2);

select is(road.reason('no', 'No.'), '{"reason": {"code": "no", "message": "No.", "detail": {}}}', 'code, message and an empty detail');
select is(road.reason('no', 'No.', '{"a": 1}') #> '{reason,detail}', '{"a": 1}', 'or the one that is given');

select * from finish();
rollback;
