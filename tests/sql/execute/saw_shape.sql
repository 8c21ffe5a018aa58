-- What cannot be a version is said to be bad input, not an internal error that would be sent again for ever.
begin;
\ir ../builders.sql
select plan(7);

select build.fixture();

select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": "1"}')), 'refused bad_input', 'a string');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": {}}')), 'refused bad_input', 'an object');
select matches(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '["play"]')), '^refused (bad_input|version_missing)$', 'saw is a list');
select matches(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '"play"')), '^refused (bad_input|version_missing)$', 'saw is a string');
select lives_ok($$select build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": 1.5}')$$, 'a fraction does not break the command');
select lives_ok($$select build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": 1e30}')$$, 'a huge number does not break the command');
select is((select last_seq from road.subject where ref = 'final'), 1::bigint, 'none of them was accepted');

select * from finish();
rollback;
