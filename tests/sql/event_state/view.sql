begin;
\ir ../builders.sql
select plan(1);

select build.fixture();
select build.fixture('semi');
select build.fixture('elsewhere', p_event => 'other');
select is(road.read('event', 'cup') -> 'data', '{"name": "cup", "starts_on": null, "ends_on": null, "settings": {}, "fixtures": 2, "rows": {"event/cup": 1}}', 'what it is, and the version of its row');

select * from finish();
rollback;
