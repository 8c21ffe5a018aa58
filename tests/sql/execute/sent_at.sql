begin;
\ir ../builders.sql
select plan(3);

select build.fixture();
select road.execute('tester', 'fixture', 'fixture', 'final', 'note', 'k', '{"text": "x"}', null, '', '1999-12-31 23:59:59+00');
select is((select sent_at from road.log where command_id = 'k'), '1999-12-31 23:59:59+00'::timestamptz, 'SP-09: the sender''s clock is stored');
select ok((select at > '2020-01-01' from road.log where command_id = 'k'), 'SP-09: beside the database''s');
select is((select outcome from road.execute('tester', 'fixture', 'fixture', 'final', 'note', 'k', '{"text": "x"}', null, '', '2001-01-01 00:00+00')), 'duplicate', 'ID-14: and is not part of the payload');

select * from finish();
rollback;
