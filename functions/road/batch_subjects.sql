-- Every subject that the commands of a batch need: their own and what their lock functions ask for. Sorted, so that two
-- answers can be compared.
create or replace function road.batch_subjects(p_commands jsonb)
returns uuid[]
language plpgsql
volatile
as $$
declare
    v_command jsonb;
    v_subject record;
    v_ids uuid[] := '{}';
begin
    for v_command in select c.value from jsonb_array_elements(p_commands) c loop
        select s.subject_id, s.parent_id, s.ref
        into v_subject
        from road.subject s
        where s.kind = v_command ->> 'kind' and (s.ref = v_command ->> 'ref' or s.subject_id::text = v_command ->> 'ref');

        v_ids := v_ids || v_subject.subject_id;
        if (road.command_traits(v_command ->> 'workflow', v_command ->> 'code', v_command ->> 'kind')).locks then
            v_ids := v_ids || (road.dispatch_locks(row (
                v_command ->> 'workflow', v_command ->> 'code', v_command ->> 'kind', v_subject.ref, v_subject.subject_id, v_subject.parent_id,
                v_command ->> 'sender', v_command ->> 'actor', v_command ->> 'key', v_command -> 'input', v_command -> 'saw',
                null, null, 0, 0, '{}', '{}')::road.call)).lock;
        end if;
    end loop;
    return array(select distinct u.id from unnest(v_ids) u (id) where u.id is not null order by u.id);
end
$$;
comment on function road.batch_subjects(jsonb) is 'The subjects that a batch of commands (as road.execute_many takes it) has to lock.';
