-- The one fold of football: the state after a play. Used by commands and by verify. State and play are JSON objects:
--
--   status    running | finished                 period    the last one that started
--   running   whether that period is running     score     {home, away}, shoot-out not included
--   periods   {H1: {home, away}, ...} the score at the end of each period
--   shootout  {first, home, away: {taken, scored, takers[]}, winner} once it has started
--   people    {"home/NAME": "yellow" | "second" | "red"}
--   pitch     {"home/NAME": "on" | "off"} who came on or went off, once there was a substitution
--   subs      {home, away: {used, windows, last}} substitutions that count against the limits; last: the last window
--   review    {play, stage} the video review that is open
--   settings  {extra_time, shootout, subs, sub_windows, ...} in force at the first play
--
-- Member voids is there only while a play is folded: the number of a play that this one takes out. The play is its input
-- with code, seq, and lineup {home, away: {NAME: start | bench | staff}}, as sport.fixture_lineup has it; null without one.
create or replace function sport.football_fold(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
begin
    case p_play ->> 'code'
        when 'goal' then
            return sport.football_goal(p_state, p_play);
        when 'card' then
            return sport.football_card(p_state, p_play);
        when 'period_start' then
            return sport.football_period_start(p_state, p_play);
        when 'period_end' then
            return sport.football_period_end(p_state, p_play);
        when 'kick' then
            return sport.football_kick(p_state, p_play);
        when 'sub' then
            return sport.football_sub(p_state, p_play);
        when 'var' then
            return sport.football_var(p_state, p_play);
    end case;
end
$$;
comment on function sport.football_fold(jsonb, jsonb) is '(state, play) -> state. Pure; refuses (UM001) what the rules forbid in this state.';
