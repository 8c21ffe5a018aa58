-- refuses: not_running, out_of_turn, darts_missing, visit_over
-- The bull's 50 is a double.
create or replace function sport.darts_visit(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_side text := p_play ->> 'side';
    v_before integer := p_state -> 'score' ->> v_side;
    v_left integer := v_before;
    v_thrown integer := p_state -> 'thrown' ->> v_side;
    v_dart text;
    v_won boolean := false;
    v_bust boolean := false;
begin
    if p_state ->> 'status' is distinct from 'running' then
        perform road.refuse('not_running', 'The leg has not started, or it is over.');
    elsif v_side <> p_state ->> 'turn' then
        perform road.refuse('out_of_turn', 'It is the other side''s turn.', jsonb_build_object('turn', p_state -> 'turn'));
    end if;
    for v_dart in
        select d.dart
        from jsonb_array_elements_text(p_play -> 'darts') with ordinality d (dart, n)
        order by d.n
    loop
        if v_won or v_bust then
            perform road.refuse('visit_over', 'A dart was thrown after the one that ended the visit.', jsonb_build_object('dart', v_dart));
        end if;
        v_left := v_left - sport.darts_points(v_dart);
        v_won := v_left = 0 and (v_dart like 'D%' or v_dart = '50');
        v_bust := v_left < 2 and not v_won;
    end loop;
    if jsonb_array_length(p_play -> 'darts') < 3 and not (v_won or v_bust) then
        perform road.refuse('darts_missing', 'A visit has three darts unless it finishes the leg or goes bust.');
    end if;

    return p_state || jsonb_build_object(
        'status', case when v_won then 'finished' else 'running' end,
        'turn', case when v_won then null when v_side = 'home' then 'away' else 'home' end,
        'score', (p_state -> 'score') || jsonb_build_object(v_side, case when v_bust then v_before else v_left end),
        'thrown', (p_state -> 'thrown') || jsonb_build_object(v_side, v_thrown + jsonb_array_length(p_play -> 'darts')));
end
$$;
comment on function sport.darts_visit(jsonb, jsonb) is 'darts.visit: rules, then the state after it; the double that brings a side to zero ends the leg.';
