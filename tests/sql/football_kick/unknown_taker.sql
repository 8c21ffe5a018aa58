-- The taker may be left out.
begin;
\ir ../builders.sql
select plan(7);

create function build.kick(p_side text, p_taker text, p_scored boolean) returns text language sql as
$$select build.play('kick', jsonb_strip_nulls(jsonb_build_object('side', p_side, 'taker', p_taker, 'scored', p_scored)))$$;
select build.shootout_fixture();
select is(build.kick('home', null, true), 'accepted', 'nobody knows who');
select is(build.kick('away', 'a1', true), 'accepted', 'the other side');
select lives_ok($$select build.kick('home', 'h2', true)$$, 'the next kick of that side does not break');
select is(build.state() #> '{shootout,home,scored}', '2', 'and counts');
select is(build.kick('away', null, true), 'accepted', 'unknown');
select is(build.kick('home', null, false), 'accepted', 'unknown twice is not the same person twice');
select is(sport.fixture_verify(build.subject('fixture', 'final')), null, 'replay agrees');

select * from finish();
rollback;
