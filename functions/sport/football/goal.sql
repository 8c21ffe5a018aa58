-- refuses: not_running, in_shootout, wrong_minute, same_person, no_assist, sent_off, not_on_pitch
-- Source: Laws of the Game (IFAB), Law 10. Minutes are sorted by period, minute, added: 45+9 comes before 46.
create or replace function sport.football_goal(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_side text := p_play ->> 'side';
    v_own boolean := coalesce(p_play ->> 'kind', 'goal') = 'own';
    v_scorer text := p_play ->> 'scorer';
    v_scorer_side text := case when v_own = (v_side = 'home') then 'away' else 'home' end;
begin
    if not coalesce((p_state -> 'running')::boolean, false) then
        perform road.refuse('not_running', 'No period is running.');
    elsif p_state ->> 'period' = 'PSO' then
        perform road.refuse('in_shootout', 'In a shoot-out only kicks are recorded.');
    elsif not sport.football_minute_fits(p_state ->> 'period', (p_play ->> 'minute')::integer) then
        perform road.refuse('wrong_minute', 'The minute is not of the period that is running.', jsonb_build_object('period', p_state -> 'period'));
    elsif v_own and p_play ? 'assist' then
        perform road.refuse('no_assist', 'An own goal has no assist.');
    elsif v_scorer = p_play ->> 'assist' then
        perform road.refuse('same_person', 'Scorer and assist are the same person.');
    elsif p_state -> 'people' ->> (v_scorer_side || '/' || v_scorer) in ('second', 'red') then
        perform road.refuse('sent_off', 'The scorer was sent off.');
    elsif not sport.football_on_pitch(p_state, p_play -> 'lineup', v_scorer_side, v_scorer) or not sport.football_on_pitch(p_state, p_play -> 'lineup', v_side, p_play ->> 'assist') then
        perform road.refuse('not_on_pitch', 'Scorer or assist is not on the pitch for that side.');
    end if;

    return jsonb_set(p_state, array['score', v_side], to_jsonb((p_state -> 'score' ->> v_side)::integer + 1));
end
$$;
comment on function sport.football_goal(jsonb, jsonb) is 'football.goal: rules, then the state after it.';
