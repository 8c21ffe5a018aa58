-- Whoever was sent off does not kick, and the sides are as many as the smaller one has left.
begin;
\ir ../builders.sql
select plan(5);

create function build.kick(p_side text, p_taker text, p_scored boolean) returns text language sql as
$$select build.play('kick', jsonb_strip_nulls(jsonb_build_object('side', p_side, 'taker', p_taker, 'scored', p_scored)))$$;
create function build.sent_off(p_ref text, p_side text, p_many integer) returns text language plpgsql as $$
begin
    for i in 1 .. p_many loop
        perform build.plays(p_ref, jsonb_build_array(jsonb_build_array('card', jsonb_build_object('side', p_side, 'person', 'off' || i, 'card', 'red', 'minute', 45))));
    end loop;
    return p_ref;
end
$$;
select build.plays(build.sent_off(build.level_fixture('final', '{"shootout": true}'), 'away', 3), '[["period_start", {"period": "PSO"}]]');
select build.kick('home', 'h' || i, true), build.kick('away', 'a' || i, true) from generate_series(1, 7) i;
select is(build.kick('home', 'h1', true), 'refused already_kicked', 'h8 has not kicked yet');
select is(build.kick('home', 'h8', true), 'accepted', 'the eighth of eight');
select is(build.kick('away', 'a8', true), 'accepted', 'and of the other side');
select is(build.kick('home', 'h1', true), 'accepted', 'then they begin again');

select build.plays(build.sent_off(build.level_fixture('odd', '{"shootout": true}'), 'away', 11), '[["period_start", {"period": "PSO"}]]');
select lives_ok($$select build.play('kick', '{"side": "home", "taker": "h1", "scored": true}', 'odd')$$, 'eleven red cards, staff among them, do not break the shoot-out');

select * from finish();
rollback;
