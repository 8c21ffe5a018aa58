begin;
\ir ../builders.sql
select plan(6);

select build.event();
create temp table said as select * from build.command('event.fixture_put', 'cup', '{"fixture": "final", "sport": "football", "home": "TBD", "away": "TBD",
    "starts_at": "2022-12-18T15:00:00Z", "venue": "Lusail", "phase": "final", "settings": {"shootout": true}}', '{"rows": {"fixture/final/schedule": null}}');
select is((select outcome from said), 'accepted', 'accepted; TBD may stand on both sides');
select is((select body -> 'result' from said), jsonb_build_object('created', true, 'rows', '{"fixture/final/schedule": 1}'::jsonb,
    'fixture', jsonb_build_object('kind', 'fixture', 'ref', 'final', 'id', build.subject('fixture', 'final'))), 'the result names the fixture and its row''s version');
select is((select (changed_seq, starts_at = '2022-12-18 15:00+00', venue, phase, home, away, settings)::text from sport.fixture_schedule), '(1,t,Lusail,final,TBD,TBD,"{""shootout"": true}")', 'the schedule');
select is((select (changed_seq, status)::text from sport.fixture_status), '(1,scheduled)', 'its status');
select is((select (changed_seq, state)::text from sport.fixture_score), '(1,{})', 'its score: nothing yet');
select is((select (sport, event_id = build.subject('event', 'cup'))::text from sport.fixture), '(football,t)', 'its sport and event');

select * from finish();
rollback;
