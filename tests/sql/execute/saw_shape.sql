-- What cannot be a version is said to be bad input, not an internal error that would be sent again for ever.
begin;
\ir ../builders.sql
select plan(8);

select build.fixture();

select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": "1"}')), 'refused bad_input', 'a string');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": {}}')), 'refused bad_input', 'an object');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '["play"]')), 'refused version_missing', 'saw is a list');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '"play"')), 'refused version_missing', 'saw is a string');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', 'null')), 'refused version_missing', 'saw is null');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": 1.5}')), 'refused bad_input', 'a fraction');
select is(build.brief(build.command('football.period_start', 'final', '{"period": "H1"}', '{"play": 1e30}')), 'refused bad_input', 'a huge number');
select is((select last_seq from road.subject where ref = 'final'), 1::bigint, 'none of them was accepted');

select * from finish();
rollback;
