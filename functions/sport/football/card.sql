-- refuses: not_started, already_booked, no_first_yellow, sent_off, not_in_squad
-- Source: Laws of the Game (IFAB), Law 12. Not asked: whether the person is on the pitch; of 448 World Cup bookings 7 are
-- for men who were not.
create or replace function sport.football_card(p_state jsonb, p_play jsonb)
returns jsonb
language plpgsql
immutable
as $$
declare
    v_card text := p_play ->> 'card';
    v_person text := (p_play ->> 'side') || '/' || (p_play ->> 'person');
    v_has text := p_state -> 'people' ->> v_person;
begin
    if p_state ->> 'period' is null then
        perform road.refuse('not_started', 'The match has not started.');
    elsif v_has in ('second', 'red') then
        perform road.refuse('sent_off', 'The person was sent off already.', jsonb_build_object('has', v_has));
    elsif v_card = 'yellow' and v_has = 'yellow' then
        perform road.refuse('already_booked', 'The person has a yellow card: is this the second?', jsonb_build_object('has', v_has));
    elsif v_card = 'second' and v_has is null then
        perform road.refuse('no_first_yellow', 'A second yellow needs a first.');
    elsif p_play -> 'lineup' ? (p_play ->> 'side') and not p_play -> 'lineup' -> (p_play ->> 'side') ? (p_play ->> 'person') then
        perform road.refuse('not_in_squad', 'The person is neither in the side''s line-up nor of its staff.');
    end if;

    return jsonb_set(p_state, array['people', v_person], to_jsonb(v_card));
end
$$;
comment on function sport.football_card(jsonb, jsonb) is 'football.card: rules, then the state after it.';
