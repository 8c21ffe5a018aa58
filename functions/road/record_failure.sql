-- Called in a transaction of its own after a command broke: the command's own rolled back (C-051).
create or replace function road.record_failure(
    p_sender text, p_actor text, p_command_id text, p_workflow text, p_code text, p_sqlstate text, p_error text)
returns integer
language sql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
    insert into road.command_failure as f (sender, actor, command_id, workflow, code, sqlstate, last_error, first_at, last_at)
    values (p_sender, p_actor, p_command_id, p_workflow, p_code, p_sqlstate, left(p_error, 2000), road.now(), road.now())
    on conflict (sender, actor, command_id) do update
    set attempts = f.attempts + 1, workflow = excluded.workflow, code = excluded.code, sqlstate = excluded.sqlstate,
        last_error = excluded.last_error, last_at = excluded.last_at
    returning f.attempts
$$;
comment on function road.record_failure(text, text, text, text, text, text, text) is 'Notes that a command broke and returns how often it has. p_error: where, without any value of the input.';
