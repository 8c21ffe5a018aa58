-- refuses: not_running, not_decided
create or replace function sport.football_period_end(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_period text := p_play ->> 'period';
    v_level boolean := p_state #> '{score,home}' = p_state #> '{score,away}';
    v_extra_time boolean := coalesce((p_state #>> '{settings,extra_time}')::boolean, false);
    v_shootout boolean := coalesce((p_state #>> '{settings,shootout}')::boolean, false);
    v_over boolean;
begin
    if not coalesce((p_state -> 'running')::boolean, false) or p_state ->> 'period' <> v_period then
        perform road.refuse('not_running', 'No period is running, or another one is.', jsonb_build_object('period', p_state -> 'period'));
    elsif v_period = 'PSO' then
        perform road.refuse('not_decided', 'The shoot-out is not decided; the kick that decides it ends it.');
    end if;

    v_over := case v_period
        when 'H2' then not v_level or not (v_extra_time or v_shootout)
        when 'ET2' then not v_level or not v_shootout
        else false
    end;
    return p_state || jsonb_build_object(
        'running', false,
        'status', case when v_over then 'finished' else 'running' end,
        'periods', (p_state -> 'periods') || jsonb_build_object(v_period, p_state -> 'score'));
end
$$;
comment on function sport.football_period_end(jsonb, jsonb) is 'football.period_end: rules, then the state after it.';
