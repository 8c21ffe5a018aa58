-- refuses: not_in_shootout, out_of_turn, sent_off, not_on_pitch, already_kicked
-- Source: Laws of the Game (IFAB), Law 10, kicks from the penalty mark: in turns, best of five, then one each; nobody
-- kicks twice before all eligible players of the side have kicked. The sides are as many as the smaller one has left.
create or replace function sport.football_kick(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_side text := p_play ->> 'side';
    v_other text := case v_side when 'home' then 'away' else 'home' end;
    v_taker text := p_play ->> 'taker';
    v_shootout jsonb := p_state -> 'shootout';
    v_mine jsonb := v_shootout -> v_side;
    v_taken integer := v_mine ->> 'taken';
    v_other_taken integer := v_shootout -> v_other ->> 'taken';
    v_scored integer := v_mine ->> 'scored';
    v_other_scored integer := v_shootout -> v_other ->> 'scored';
    v_eligible integer;
    v_round integer;
    v_winner text;
begin
    if not coalesce((p_state -> 'running')::boolean, false) or p_state ->> 'period' <> 'PSO' then
        perform road.refuse('not_in_shootout', 'No shoot-out is running.');
    elsif v_taken > v_other_taken or (v_taken = v_other_taken and coalesce(v_shootout ->> 'first', v_side) <> v_side) then
        perform road.refuse('out_of_turn', 'It is the other side''s turn.', jsonb_build_object('turn', v_other));
    elsif p_state -> 'people' ->> (v_side || '/' || v_taker) in ('second', 'red') then
        perform road.refuse('sent_off', 'The taker was sent off.');
    elsif not sport.football_on_pitch(p_state, p_play -> 'lineup', v_side, v_taker) then
        perform road.refuse('not_on_pitch', 'The taker is not on the pitch.');
    end if;
    -- Staff and substitutes are sent off too; who of them it was is known where there is a line-up. A side of fewer than
    -- seven does not play on.
    v_eligible := greatest(7, 11 - (
        select coalesce(max(o.sent_off), 0)
        from (
            select count(*) as sent_off
            from jsonb_each_text(p_state -> 'people') c
            where c.value in ('second', 'red')
                and coalesce(sport.football_on_pitch(p_state, p_play -> 'lineup', split_part(c.key, '/', 1), substr(c.key, strpos(c.key, '/') + 1)), true)
            group by split_part(c.key, '/', 1)
        ) o));
    select count(*) into v_round from jsonb_array_elements_text(v_mine -> 'takers') t where t = v_taker;
    if v_round > v_taken / v_eligible then
        perform road.refuse('already_kicked', 'The taker has kicked in this round; everybody else kicks first.');
    end if;

    v_taken := v_taken + 1;
    v_scored := v_scored + (p_play -> 'scored')::boolean::integer;
    -- decided: one side is ahead of all that the other can still reach
    if v_scored > v_other_scored + greatest(5, v_taken, v_other_taken) - v_other_taken then
        v_winner := v_side;
    elsif v_other_scored > v_scored + greatest(5, v_taken, v_other_taken) - v_taken then
        v_winner := v_other;
    end if;

    v_shootout := v_shootout || jsonb_build_object(
        'first', coalesce(v_shootout ->> 'first', v_side),
        v_side, jsonb_build_object('taken', v_taken, 'scored', v_scored, 'takers', (v_mine -> 'takers') || coalesce(to_jsonb(v_taker), '[]')));
    if v_winner is null then
        return p_state || jsonb_build_object('shootout', v_shootout);
    end if;
    return p_state || jsonb_build_object(
        'shootout', v_shootout || jsonb_build_object('winner', v_winner),
        'running', false, 'status', 'finished',
        'periods', (p_state -> 'periods') || jsonb_build_object('PSO', p_state -> 'score'));
end
$$;
comment on function sport.football_kick(jsonb, jsonb) is 'football.kick: rules, then the state after it; the kick that decides ends the match.';
