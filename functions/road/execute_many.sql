-- At most 25 commands in one transaction, for imports: one commit, one round trip. All locks are taken first, in the one
-- order; then each command goes the whole road in its own savepoint, so that a refusal, a duplicate or a conflict ends
-- that item only. Any other error undoes all of them: the server then sends them one by one.
--
-- locks: every subject of every command, for 200 ms at the most
-- raises: UM003 not an array of 1 to 25; UM008 what has to be locked changed while it waited; what road.execute raises
create or replace function road.execute_many(p_commands jsonb)
returns table (item integer, outcome text, answer jsonb)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_ids uuid[];
    v_command jsonb;
    v_said record;
begin
    if jsonb_typeof(p_commands) is distinct from 'array' or jsonb_array_length(p_commands) not between 1 and 25 then
        raise exception using errcode = 'UM003', message = 'a batch is an array of 1 to 25 commands';
    end if;

    v_ids := road.batch_subjects(p_commands);
    perform l.subject_id from road.lock_subjects(v_ids) l;
    if road.batch_subjects(p_commands) is distinct from v_ids then
        raise exception using errcode = 'UM008', message = 'what the batch has to lock changed while it waited; send it again';
    end if;

    item := 0;
    for v_command in select c.value from jsonb_array_elements(p_commands) with ordinality c (value, n) order by c.n loop
        select r.outcome, r.answer
        into v_said
        from road.execute(
            p_sender => v_command ->> 'sender',
            p_workflow => v_command ->> 'workflow',
            p_kind => v_command ->> 'kind',
            p_ref => v_command ->> 'ref',
            p_code => v_command ->> 'code',
            p_command_id => v_command ->> 'key',
            p_input => v_command -> 'input',
            p_saw => nullif(v_command -> 'saw', 'null'),
            p_actor => coalesce(v_command ->> 'actor', ''),
            p_sent_at => (v_command ->> 'sent_at')::timestamptz,
            p_token_sha256 => decode(v_command ->> 'token_sha256', 'hex')) r;
        item := item + 1;
        outcome := v_said.outcome;
        answer := v_said.answer;
        return next;
    end loop;
end
$$;
comment on function road.execute_many(jsonb) is 'Gives up to 25 commands one answer each, in one transaction. p_commands: [{sender, workflow, kind, ref, code, key, input, saw?, actor?, sent_at?, token_sha256? (hex)}]. item counts from 1. The answers hold only once the transaction has committed.';
