begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
create temp table r as select road.read('fixture', 'final') as r;
select is((select r -> 'subject' from r), jsonb_build_object('kind', 'fixture', 'id', build.subject('fixture', 'final'), 'ref', 'final'), 'the subject');
select is((select (r -> 'seq', r -> 'last_play', r ->> 'view')::text from r), '(2,2,state)', 'its numbers and the view');
select is((select r #>> '{data,status}' from r), 'running', 'the view''s data');
select is(road.read('fixture', 'final') ->> 'position', (select road.position(i.system_identifier, i.timeline, l.xid, l.id) from road.cluster_identity() i, road.last_position() l), 'SS-01: the feed position of the same snapshot');
select is(road.read('fixture', build.subject('fixture', 'final')::text) - 'position', (select r - 'position' from r), 'by uuid');
select is(road.read('event', 'cup') -> 'last_play', 'null', 'no play yet');

select * from finish();
rollback;
