begin;
\ir ../builders.sql
select plan(3);

select build.fixture(p_sport => 'darts');
select is(build.brief(build.command('darts.throw_off', 'final', '{"side": "away"}', '{"play": null}')), 'accepted', 'the leg starts');
select is(build.state() ->> 'turn', 'away', 'whoever throws off begins');
select is(build.brief(build.command('darts.throw_off', 'final', '{"side": "home"}', build.saw())), 'refused already_started', 'darts.throw_off refuses already_started');

select * from finish();
rollback;
