begin;
\ir ../builders.sql
select plan(7);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
update road.note set xid = (id + 10)::text::xid8;
select build.sender('reader', p_may_read_log => true);

create temp table p as select r.*, pg_snapshot_xmin(pg_current_snapshot()) as horizon_then from road.feed_page('0', 0, 3) r;
select is((select array_agg(n ->> 'code' order by nth) from p, jsonb_array_elements(p.notes) with ordinality e (n, nth)), array['create', 'fixture_put', 'fixture_put'], 'a page, in the readers'' order');
select is((select n ->> 'event' from p, jsonb_array_elements(p.notes) n where n ->> 'kind' = 'fixture'), 'cup', 'with the event that the subject belongs to');
select is((select n ->> 'event' from p, jsonb_array_elements(p.notes) n where n ->> 'code' = 'create'), 'cup', 'an event belongs to itself');
select is((select (p.horizon = p.horizon_then, p.system_identifier = p.home_system_identifier, p.more_above)::text from p), '(t,t,f)', 'horizon and identity');
select is((select p.last_xid::text from p), (select max(n.xid)::text from road.note n), 'and the last note there is');
update road.note set xid = pg_current_xact_id() where seq = 3;
select is((select (r.more_above, jsonb_array_length(r.notes))::text from road.feed_page('0', 0, 500) r), '(t,4)', 'a note above the horizon is said to be there, and not shown');
select is((select jsonb_array_length(r.notes) from road.feed_page('0', 0, 0) r), 0, 'a page of nothing');

select * from finish();
rollback;
