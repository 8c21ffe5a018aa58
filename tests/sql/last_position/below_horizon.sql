begin;
\ir ../builders.sql
select plan(4);

select is((select r::text from road.last_position() r), '(0,0)', 'no notes at all');
select build.running_fixture();
select is((select r::text from road.last_position() r), '(0,0)', 'what is still running is not there yet');
update road.note set xid = (id + 10)::text::xid8 where seq = 1;
select is((select r.xid::text from road.last_position() r), (select max(n.xid)::text from road.note n where n.seq = 1), 'the last note below the horizon, not the horizon itself');
delete from road.note where seq = 1;
update road.feed set pruned_xid = '11', pruned_id = 3;
select is((select r::text from road.last_position() r), '(11,3)', 'when all were pruned: the last of them');

select * from finish();
rollback;
