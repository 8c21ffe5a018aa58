begin;
\ir ../builders.sql
select plan(13);

create function build.kick(p_side text, p_taker text, p_scored boolean) returns text language sql as
$$select build.play('kick', jsonb_strip_nulls(jsonb_build_object('side', p_side, 'taker', p_taker, 'scored', p_scored)))$$;
create function build.kicks(p_ref text, p_scored text) returns text language plpgsql as $$
declare
    v_said text := '';
begin
    for i in 1 .. length(p_scored) loop
        v_said := build.play('kick', jsonb_build_object('side', case when i % 2 = 1 then 'home' else 'away' end,
            'taker', 'p' || ((i - 1) / 2) % 11, 'scored', substr(p_scored, i, 1) = 'x'), p_ref);
        if v_said <> 'accepted' then
            return format('kick %s %s', i, v_said);
        end if;
    end loop;
    return coalesce(build.state(p_ref) #>> '{shootout,winner}', 'open');
end
$$;
select is(build.kicks(build.shootout_fixture('s1'), 'xoxoxo'), 'home', 'three ahead after three: decided');
select is(build.kicks(build.shootout_fixture('s2'), 'xoxox'), 'open', 'with a kick of the other side to come: 3 against 0 of 2, three left');
select is(build.kicks(build.shootout_fixture('s3'), 'xxxxxxxxx'), 'open', 'the other side can still level');
select is(build.kicks(build.shootout_fixture('s4'), 'xxxxxxxxox'), 'away', 'the tenth kick');
select is(build.kicks(build.shootout_fixture('s5'), 'xxxxxxxxxx'), 'open', 'level after five each: it goes on');
select is(build.kicks(build.shootout_fixture('s6'), 'xxxxxxxxxxx'), 'open', 'sudden death: the other side has its kick');
select is(build.kicks(build.shootout_fixture('s7'), 'xxxxxxxxxxxo'), 'home', 'one ahead after six each');
select is(build.kicks(build.shootout_fixture('s8'), 'oxoxox'), 'away', 'out of reach for the side that began');
select is(build.kicks(build.shootout_fixture('s9'), repeat('xx', 11) || 'xo'), 'home', 'after eleven each the takers begin again');
select is((select status from sport.fixture_status where fixture_id = build.subject('fixture', 's1')), 'finished', 'the kick that decides ends the match');
select is(build.state('s1') #> '{periods,PSO}', '{"home": 0, "away": 0}', 'and the period');
select is(build.play('kick', '{"side": "away", "taker": "p9", "scored": true}', 's1'), 'refused not_in_shootout', 'no kick after that');
select is(sport.fixture_verify(build.subject('fixture', 's9')), null, 'replay agrees');

select * from finish();
rollback;
