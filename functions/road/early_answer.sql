-- The body of an answer that ends the command without a log row: a refusal that is not stored, a conflict, a duplicate,
-- a try again.
create or replace function road.early_answer(
    p_outcome text, p_command_id text, p_workflow text, p_code text, p_kind text, p_subject_id uuid, p_ref text, p_more jsonb)
returns jsonb
language sql
immutable
as $$
    select pg_catalog.jsonb_build_object(
        'outcome', p_outcome, 'key', p_command_id, 'workflow', p_workflow, 'code', p_code,
        'subject', pg_catalog.jsonb_build_object('kind', p_kind, 'id', p_subject_id, 'ref', p_ref)) || p_more
$$;
comment on function road.early_answer(text, text, text, text, text, uuid, text, jsonb) is 'The one body of every answer, with what belongs to the outcome (reason, changed, first) in p_more.';
