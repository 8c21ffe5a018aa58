-- Inside the transaction that wrote them, notes are not shown: it is still running. So their xids are set back.
begin;
\ir ../builders.sql
select plan(6);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
select is((select count(*) from road.notes('0', 0)), 0::bigint, 'C-116: nothing of a transaction that is still running');
update road.note set xid = '7' where seq > 1;
update road.note set xid = '5' where seq = 1;
update road.note n set xid = '0' where n.subject_id = build.subject('event', 'cup') and n.seq = 1;
create temp table n as select row_number() over () as nth, * from road.notes('0', 0);
select is((select array_agg(note_xid::text || '.' || kind || '.' || seq order by nth) from n), array['0.event.1', '5.fixture.1', '7.event.2', '7.fixture.2', '7.fixture.3'], 'C-117: by xid and id, old rows with xid 0 first');
select is((select array_agg(seq order by nth) from n where ref = 'final'), array[1, 2, 3]::bigint[], 'a subject''s notes come in seq order');
select is((select count(*) from road.notes('7', (select max(note_id) from n))), 0::bigint, 'after the last: nothing');
select results_eq($$select x.note_xid::text, x.note_id from n, road.notes(n.note_xid, n.note_id, 2) x where n.nth = 2$$, 'select note_xid::text, note_id from n where nth in (3, 4) order by nth', 'OB-07: a page may end within one transaction');
select is((select array_agg(distinct workflow || '.' || code order by workflow || '.' || code) from n), array['event.create', 'event.fixture_put', 'football.goal', 'football.period_start'], 'which command it was');

select * from finish();
rollback;
