-- road.execute_dynamic: the road as it would be with a dispatcher that looks the handler up in the catalogue and calls it by
-- EXECUTE. Made from road.execute itself, so that nothing else differs. Never installed.
create or replace function road.dispatch_dynamic(cmd road.call)
returns jsonb
language plpgsql
volatile
as $$
declare
    v_handler text;
    v_handled jsonb;
begin
    select c.handler into v_handler from road.catalogue_command c where c.workflow = cmd.workflow and c.code = cmd.code;
    execute format('select %s($1)', v_handler) into v_handled using cmd;
    return v_handled;
end
$$;
do $$
declare
    v_road text := pg_get_functiondef(to_regproc('road.execute'));
    v_dynamic text := replace(replace(v_road, 'road.dispatch(cmd)', 'road.dispatch_dynamic(cmd)'), 'FUNCTION road.execute(', 'FUNCTION road.execute_dynamic(');
begin
    if v_dynamic not like '%road.execute_dynamic(%road.dispatch_dynamic(cmd)%' then
        raise 'road.execute does not call road.dispatch(cmd) any more';
    end if;
    execute v_dynamic;
end
$$;
