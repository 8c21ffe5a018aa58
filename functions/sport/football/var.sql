-- refuses: not_started, outcome_missing, outcome_early, play_missing
-- also what sport.football_goal and sport.football_card refuse, for a play that the review adds
-- A review is a play of its own, whatever comes of it. What it takes out is named by its number (member voids of the state
-- returned), and whoever folds takes it out; what it adds is folded here, as part of it.
create or replace function sport.football_var(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_stage text := p_play ->> 'stage';
    v_add jsonb := p_play -> 'add';
    v_state jsonb;
begin
    if p_state ->> 'period' is null then
        perform road.refuse('not_started', 'The match has not started.');
    elsif v_stage = 'changed' and not p_play ? 'void' and v_add is null then
        perform road.refuse('outcome_missing', 'A changed decision says what it voids or adds.');
    elsif v_stage <> 'changed' and (p_play ? 'void' or v_add is not null) then
        perform road.refuse('outcome_early', 'Only a changed decision voids or adds.');
    elsif (p_play -> 'void')::boolean and p_play -> 'play' is null then
        perform road.refuse('play_missing', 'Name the play that the decision takes out.');
    end if;

    v_state := case when v_stage in ('confirmed', 'changed') then p_state - 'review'
        else p_state || jsonb_build_object('review', jsonb_build_object('stage', v_stage, 'play', p_play -> 'play')) end;
    if (p_play -> 'void')::boolean then
        v_state := v_state || jsonb_build_object('voids', p_play -> 'play');
    end if;
    return case v_add ->> 'code'
        when 'goal' then sport.football_goal(v_state, v_add -> 'input' || jsonb_build_object('lineup', p_play -> 'lineup'))
        when 'card' then sport.football_card(v_state, v_add -> 'input' || jsonb_build_object('lineup', p_play -> 'lineup'))
        else v_state
    end;
end
$$;
comment on function sport.football_var(jsonb, jsonb) is 'football.var: rules, then the state after it; member voids names a play that is taken out.';
