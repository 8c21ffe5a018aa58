-- refuses: already_running, finished, period_order, not_level, not_in_settings
-- Source: Laws of the Game (IFAB), Law 7 and Law 10.
create or replace function sport.football_period_start(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_period text := p_play ->> 'period';
    v_last text := p_state ->> 'period';
    v_extra_time boolean := coalesce((p_state #>> '{settings,extra_time}')::boolean, false);
    v_shootout boolean := coalesce((p_state #>> '{settings,shootout}')::boolean, false);
    v_side jsonb := '{"taken": 0, "scored": 0, "takers": []}';
begin
    if (p_state -> 'running')::boolean then
        perform road.refuse('already_running', 'Another period is running.', jsonb_build_object('period', v_last));
    elsif p_state ->> 'status' = 'finished' and not (v_period in ('ET1', 'PSO') and v_last in ('H2', 'ET2')) then
        perform road.refuse('finished', 'The match is over.');
    elsif v_last is not null and (v_last, v_period) not in (('H1', 'H2'), ('H2', 'ET1'), ('H2', 'PSO'), ('ET1', 'ET2'), ('ET2', 'PSO'))
        or (v_last is null) <> (v_period = 'H1') then
        perform road.refuse('period_order', 'Periods come in the order H1, H2, ET1, ET2, PSO.', jsonb_build_object('last', v_last));
    elsif v_period = 'ET1' and not v_extra_time or v_period = 'PSO' and not v_shootout then
        perform road.refuse('not_in_settings', 'The fixture has no extra time or no shoot-out by its settings.');
    elsif v_period = 'PSO' and v_last = 'H2' and v_extra_time then
        perform road.refuse('period_order', 'Extra time comes before the shoot-out.', jsonb_build_object('last', v_last));
    elsif v_period in ('ET1', 'PSO') and p_state #> '{score,home}' <> p_state #> '{score,away}' then
        perform road.refuse('not_level', 'Extra time and a shoot-out are for a level score.', jsonb_build_object('score', p_state -> 'score'));
    end if;

    return '{"score": {"home": 0, "away": 0}, "periods": {}, "people": {}}'::jsonb || p_state
        || jsonb_build_object('status', 'running', 'running', true, 'period', v_period)
        || case when v_period = 'PSO' then jsonb_build_object('shootout', jsonb_build_object('home', v_side, 'away', v_side)) else '{}' end;
end
$$;
comment on function sport.football_period_start(jsonb, jsonb) is 'football.period_start: rules, then the state after it.';
