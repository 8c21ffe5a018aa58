-- Cards are not asked: who was sent off was on the pitch until then.
create or replace function sport.football_on_pitch(p_state jsonb, p_lineup jsonb, p_side text, p_person text)
returns boolean
language sql
immutable
as $$
    select case when p_lineup ? p_side and p_person is not null then
        coalesce(p_state -> 'pitch' ->> (p_side || '/' || p_person), p_lineup -> p_side ->> p_person, '') in ('on', 'start')
    end
$$;
comment on function sport.football_on_pitch(jsonb, jsonb, text, text) is 'Whether a person is on the pitch, as the line-up and the substitutions say; null where the side''s line-up or the person is not known.';
