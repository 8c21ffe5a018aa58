begin;
\ir ../builders.sql
select plan(6);

select build.sender();
select is(build.brief(build.command('event.create', 'wc', '{"name": "World Cup 2022", "starts_on": "2022-11-20", "ends_on": "2022-12-18", "settings": {"shootout": true}}')), 'accepted', 'with everything');
select is((select (changed_seq, name, starts_on, ends_on, settings)::text from sport.event), '(1,"World Cup 2022",2022-11-20,2022-12-18,"{""shootout"": true}")', 'C-052: the row has the log number');
select is(build.brief(build.command('event.create', 'cup', '{"name": "Cup"}')), 'accepted', 'with a name only');
select is((select (starts_on, ends_on, settings)::text from sport.event where name = 'Cup'), '(,,{})', 'TL-04: absent is null, settings are empty');
select is(build.brief(build.command('event.create', 'day', '{"name": "Day", "starts_on": "2022-11-20", "ends_on": "2022-11-20"}')), 'accepted', 'one day');
select is((select body from road.note where code = 'create' and body ->> 'name' = 'Cup'), '{"name": "Cup"}', 'the note carries what was created');

select * from finish();
rollback;
