create or replace function sport.event_squad_row(cmd road.call)
returns setof road.current_row
language sql
stable
as $$
    select 'event/' || (cmd).ref || '/squad/' || w.team, q.changed_seq, case when q.team is not null then jsonb_build_object('members', q.members) end
    from (values ((cmd).subject_id, (cmd).input ->> 'team')) w (event_id, team)
    left join sport.squad q on q.event_id = w.event_id and q.team = w.team
$$;
comment on function sport.event_squad_row(road.call) is 'The squad that squad_put would change, as it is now.';
