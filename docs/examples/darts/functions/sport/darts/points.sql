create or replace function sport.darts_points(p_dart text)
returns integer
language sql
immutable
as $$
    select case left(p_dart, 1)
        when 'S' then substr(p_dart, 2)::integer
        when 'D' then substr(p_dart, 2)::integer * 2
        when 'T' then substr(p_dart, 2)::integer * 3
        else p_dart::integer
    end
$$;
comment on function sport.darts_points(text) is 'What a dart counts: S20 20, D20 40, T20 60, 25, 50, 0.';
