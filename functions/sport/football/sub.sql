-- refuses: not_started, finished, wrong_minute, same_person, sent_off, not_on_pitch, not_on_bench, already_used, sub_limit, sub_windows
-- Source: Laws of the Game (IFAB), Law 3. The limits are settings of the event or the fixture (subs, sub_windows; no limit
-- when not given), one more of each in extra time. A concussion substitution counts against neither. Changes of one side in
-- one minute share a window; the interval, to which the first minute of a period belongs, is no window.
create or replace function sport.football_sub(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_side text := p_play ->> 'side';
    v_off text := v_side || '/' || (p_play ->> 'off');
    v_on text := v_side || '/' || (p_play ->> 'on');
    v_period text := p_state ->> 'period';
    v_running boolean := coalesce((p_state -> 'running')::boolean, false);
    v_minute integer := p_play ->> 'minute';
    v_extra integer := (v_period in ('ET1', 'ET2', 'PSO'))::integer;
    v_counts boolean := not coalesce((p_play -> 'concussion')::boolean, false);
    v_mine jsonb := p_state -> 'subs' -> v_side;
    v_used integer := coalesce((v_mine ->> 'used')::integer, 0);
    v_windows integer := coalesce((v_mine ->> 'windows')::integer, 0);
    v_window text;
begin
    if v_period is null then
        perform road.refuse('not_started', 'The match has not started.');
    elsif p_state ->> 'status' = 'finished' then
        perform road.refuse('finished', 'The match is over.');
    elsif v_running and not sport.football_minute_fits(v_period, v_minute) then
        perform road.refuse('wrong_minute', 'The minute is not of the period that is running.', jsonb_build_object('period', v_period));
    elsif v_off = v_on then
        perform road.refuse('same_person', 'The same person goes off and comes on.');
    elsif p_state -> 'people' ->> v_off in ('second', 'red') or p_state -> 'people' ->> v_on in ('second', 'red') then
        perform road.refuse('sent_off', 'One of the two was sent off.');
    elsif not coalesce(sport.football_on_pitch(p_state, p_play -> 'lineup', v_side, p_play ->> 'off'), p_state -> 'pitch' ->> v_off is distinct from 'off') then
        perform road.refuse('not_on_pitch', 'Who goes off is not on the pitch.');
    elsif p_state -> 'pitch' ? v_on then
        perform road.refuse('already_used', 'Who comes on has been on the pitch before.');
    elsif p_play -> 'lineup' -> v_side ->> (p_play ->> 'on') is distinct from 'bench' and p_play -> 'lineup' ? v_side then
        perform road.refuse('not_on_bench', 'Who comes on is not on the bench.');
    end if;

    if v_counts then
        v_used := v_used + 1;
        if v_used > (p_state #>> '{settings,subs}')::integer + v_extra then
            perform road.refuse('sub_limit', 'The side has no substitution left; one for a concussion says so.', jsonb_build_object('used', v_used - 1));
        end if;
        v_window := concat_ws('/', v_period, v_minute, p_play ->> 'added');
        if v_running and v_minute not in (1, 46, 91, 106) and v_window is distinct from v_mine ->> 'last' then
            v_windows := v_windows + 1;
            if v_windows > (p_state #>> '{settings,sub_windows}')::integer + v_extra then
                perform road.refuse('sub_windows', 'The side has no window for a substitution left.', jsonb_build_object('used', v_windows - 1));
            end if;
        end if;
        v_mine := jsonb_build_object('used', v_used, 'windows', v_windows, 'last', v_window);
    end if;
    return p_state || jsonb_build_object(
        'pitch', coalesce(p_state -> 'pitch', '{}') || jsonb_build_object(v_off, 'off', v_on, 'on'),
        'subs', coalesce(p_state -> 'subs', '{}') || case when v_mine is null then '{}' else jsonb_build_object(v_side, v_mine) end);
end
$$;
comment on function sport.football_sub(jsonb, jsonb) is 'football.sub: rules, then the state after it.';
