-- "Was it saved?" Answered by the same row that the command committed with (C-056). A sender sees its own keys only.
create or replace function road.saved_command(p_sender text, p_command_id text, p_actor text default '')
returns jsonb
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select jsonb_build_object(
        'outcome', k.outcome, 'received_at', k.received_at, 'finished_at', k.finished_at, 'expires_at', k.expires_at,
        'first', k.answer)
    from road.command k
    where k.sender = p_sender and k.actor = p_actor and k.command_id = p_command_id and k.expires_at > road.now()
$$;
comment on function road.saved_command(text, text, text) is 'The stored answer of a command under its key; null when nothing was saved (yet).';
