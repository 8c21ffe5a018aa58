-- refuses: already_started
create or replace function sport.darts_throw_off(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
begin
    if p_state ? 'status' then
        perform road.refuse('already_started', 'The leg has started already.');
    end if;

    return p_state || jsonb_build_object(
        'status', 'running', 'turn', p_play -> 'side',
        'score', '{"home": 501, "away": 501}'::jsonb,
        'thrown', '{"home": 0, "away": 0}'::jsonb);
end
$$;
comment on function sport.darts_throw_off(jsonb, jsonb) is 'darts.throw_off: rules, then the state after it.';
