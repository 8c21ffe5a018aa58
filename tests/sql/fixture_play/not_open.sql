begin;
\ir ../builders.sql
select plan(15);

select build.running_fixture();
select build.edited('fixture.status_set', '{"status": "suspended"}');
select is(build.play(c.code, c.input::jsonb), 'refused not_open', 'football.' || c.code || ' refuses not_open')
from (values
    ('period_start', '{"period": "H1"}'), ('period_end', '{"period": "H1"}'), ('goal', '{"side": "home", "minute": 1}'),
    ('card', '{"side": "home", "minute": 1, "person": "a", "card": "red"}'), ('kick', '{"side": "home", "scored": true}'),
    ('sub', '{"side": "home", "off": "a", "on": "b", "minute": 1}'), ('var', '{"stage": "check"}')
) c (code, input);
select build.edited('fixture.status_set', '{"status": "running"}');
select is(build.play('goal', '{"side": "home", "minute": 1}'), 'accepted', 'once it goes on');
select build.plays('final', '[["period_end", {"period": "H1"}], ["period_start", {"period": "H2"}], ["period_end", {"period": "H2"}]]');
select build.edited('fixture.result_status', '{"to": "official"}');
select is(build.play(c.code, c.input::jsonb), 'refused official', 'football.' || c.code || ' refuses official')
from (values
    ('period_start', '{"period": "H1"}'), ('period_end', '{"period": "H1"}'), ('goal', '{"side": "home", "minute": 1}'),
    ('card', '{"side": "home", "minute": 1, "person": "a", "card": "red"}'), ('kick', '{"side": "home", "scored": true}'),
    ('sub', '{"side": "home", "off": "a", "on": "b", "minute": 1}'), ('var', '{"stage": "check"}')
) c (code, input);

select * from finish();
rollback;
