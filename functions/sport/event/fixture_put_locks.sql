-- Locks the fixture when there is one, asks for it to be created when there is none.
create or replace function sport.event_fixture_put_locks(cmd road.call)
returns road.lock_request
language plpgsql
volatile
as $$
declare
    v_ref text := cmd.input ->> 'fixture';
    v_fixture_id uuid;
begin
    select s.subject_id into v_fixture_id
    from road.subject s
    where s.kind = 'fixture' and s.ref = v_ref;

    if v_fixture_id is null then
        return row ('{}'::uuid[], 'fixture', array[v_ref])::road.lock_request;
    end if;
    return row (array[v_fixture_id], null, '{}'::text[])::road.lock_request;
end
$$;
comment on function sport.event_fixture_put_locks(road.call) is 'Lock function of event.fixture_put.';
