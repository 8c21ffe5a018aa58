-- Runs first at every install: a function that somebody tuned in the database is not overwritten unless told.
-- `umpire migrate` shows the difference; `set umpire.force = on` in this session lets an install go over it.
do $$
declare
    v_tuned text;
begin
    if coalesce(current_setting('umpire.force', true), '') = 'on' then
        return;
    end if;
    select string_agg(i.signature, ', ' order by i.signature)
    into v_tuned
    from road.installed_function i
    where pg_get_functiondef(to_regprocedure(i.signature)) is distinct from i.definition;
    if v_tuned is not null then
        raise exception using
            errcode = 'UM005',
            message = format('changed in the database since the last install: %s', v_tuned),
            hint = 'Bring the change into functions/, or install with --force to lose it.';
    end if;
end
$$;
