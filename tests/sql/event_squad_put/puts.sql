begin;
\ir ../builders.sql
select plan(5);

select build.event();
select is(build.edited('event.squad_put', '{"team": "Reds", "members": [{"person": "Ann"}, {"person": "Ann", "shirt": 2}]}', 'cup'), 'refused twice_named', 'event.squad_put refuses twice_named');
select is(build.edited('event.squad_put', '{"team": "Reds", "members": [{"person": "Ann"}]}', 'cup'), 'accepted', 'new');
select is(build.edited('event.squad_put', '{"team": "Reds", "members": [{"person": "Bea", "shirt": 2}]}', 'cup'), 'accepted', 'changed');
select is(build.brief(build.command('event.squad_put', 'cup', '{"team": "Reds", "members": []}', '{"rows": {"event/cup/squad/Reds": null}}')), 'conflict version_moved', 'who saw none');
select is((select row(changed_seq, members)::text from sport.squad), '(3,"[{""shirt"": 2, ""person"": ""Bea""}]")', 'as it is');

select * from finish();
rollback;
