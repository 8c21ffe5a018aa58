-- Later than its period a minute cannot be: what is played on top is `added`. Earlier is another period's.
create or replace function sport.football_minute_fits(p_period text, p_minute integer)
returns boolean
language sql
immutable
as $$
    select case p_period
        when 'H1' then p_minute between 1 and 45
        when 'H2' then p_minute between 46 and 90
        when 'ET1' then p_minute between 91 and 105
        when 'ET2' then p_minute between 106 and 120
    end
$$;
comment on function sport.football_minute_fits(text, integer) is 'Whether a minute is of the period (H1 1-45, H2 46-90, ET1 91-105, ET2 106-120).';
