-- The one fold of darts: the state after a play. Used by commands and by verify. The state is a JSON object:
--
--   status    running | finished                 turn     whose visit is next; null when the leg is over
--   score     {home, away} points left           thrown   {home, away} darts thrown
--   settings  in force at the first play; darts asks for none
create or replace function sport.darts_fold(p_state jsonb, p_play jsonb)
returns jsonb
language sql
immutable
as $$
    select case p_play ->> 'code'
        when 'throw_off' then sport.darts_throw_off(p_state, p_play)
        when 'visit' then sport.darts_visit(p_state, p_play)
    end
$$;
comment on function sport.darts_fold(jsonb, jsonb) is '(state, play) -> state. Pure; refuses (UM001) what the rules forbid in this state.';
