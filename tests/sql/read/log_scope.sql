begin;
\ir ../builders.sql
select plan(7);

select build.fixture();
select build.sender('auditor', p_may_read_log => true);
select build.sender('cup-auditor', p_may_read_log => true, p_events => array['cup']);
select build.sender('other-auditor', p_may_read_log => true, p_events => array['other']);
select build.sender('gone', p_may_read_log => true);
select road.sender_disable('gone');
select throws_ok($$select road.read('fixture', 'final', 'log')$$, 'UM007', null, 'nobody in particular');
select throws_ok($$select road.read('fixture', 'final', 'log', null, 10, 'tester')$$, 'UM007', null, 'a sender without the scope');
select throws_ok($$select road.read('fixture', 'final', 'log', null, 10, 'gone')$$, 'UM007', null, 'one that is disabled');
select throws_ok($$select road.read('fixture', 'final', 'log', null, 10, 'other-auditor')$$, 'UM007', null, 'one for another event');
select lives_ok($$select road.read('fixture', 'final', 'log', null, 10, 'auditor')$$, 'one with the scope');
select lives_ok($$select road.read('fixture', 'final', 'log', null, 10, 'cup-auditor')$$, 'one for this event');
select lives_ok($$select road.read('event', 'cup', 'log', null, 10, 'cup-auditor')$$, 'for the event itself too');

select * from finish();
rollback;
