-- The answer to a command whose key was used: its first answer, if it is the same command.
create or replace function road.answer_used_key(
    p_command_id text, p_workflow text, p_code text, p_kind text, p_subject_id uuid, p_ref text, p_first jsonb, p_same boolean,
    out outcome text, out answer jsonb)
language plpgsql
volatile
as $$
begin
    if p_same then
        -- A duplicate is an acknowledgement too. The first one's wait for the standby may have been cancelled: a record
        -- in the log makes this commit wait until the standby has everything before it.
        if current_setting('synchronous_standby_names') <> '' then
            perform pg_logical_emit_message(true, 'umpire', '');
        end if;
        outcome := 'duplicate';
        answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, (p_first #>> '{subject,id}')::uuid, p_ref,
            jsonb_build_object('first', p_first));
    else
        outcome := 'refused';
        answer := road.early_answer(outcome, p_command_id, p_workflow, p_code, p_kind, p_subject_id, p_ref,
            road.reason('key_reused', 'This key was used for another command; a new command needs a new key.'));
    end if;
end
$$;
comment on function road.answer_used_key(text, text, text, text, uuid, text, jsonb, boolean) is 'The answer to a key that was used before. p_first: its first answer; p_same: whether the payload is the same. duplicate with the first answer as it was, or refused key_reused.';
