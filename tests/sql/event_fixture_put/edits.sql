begin;
\ir ../builders.sql
select plan(7);

select build.running_fixture();
create temp table before as select (select changed_seq from sport.fixture_status) as status_seq, (select changed_seq from sport.fixture_score) as score_seq;
select is(build.put('{"venue": "North", "phase": "final", "settings": {"extra_time": true}}'), 'accepted', 'venue and phase of a fixture that runs');
select is((select (changed_seq, venue, phase, settings)::text from sport.fixture_schedule), '(3,North,final,"{""extra_time"": true}")', 'C-052: with the fixture''s log number');
select is((select (s.changed_seq, c.changed_seq)::text from sport.fixture_status s, sport.fixture_score c), (select (status_seq, score_seq)::text from before), 'C-072: status and score keep their versions');
select is(build.state() #> '{settings,extra_time}', null, 'the settings of the first play stay in force');
select is(build.put('{}'), 'accepted', 'what is not named');
select is((select (venue, phase, settings)::text from sport.fixture_schedule), '(,,{})', 'is emptied: put, not patch');
select is((select array_agg(n.body -> 'created' order by n.seq) from road.note n where n.subject_id = build.subject('fixture', 'final') and n.code = 'fixture_put'), array['true', 'false', 'false']::jsonb[], 'the notes tell creation from edit');

select * from finish();
rollback;
