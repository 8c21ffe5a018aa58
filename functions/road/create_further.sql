-- Creates the further subjects that a command's lock function asked for, under the command's own subject (whose lock is
-- held), and adds them to what the command may write to. Runs inside the savepoint.
-- refuses: exists
create or replace function road.create_further(cmd road.call, p_wanted road.lock_request)
returns road.call
language plpgsql
volatile
as $$
declare
    v_ids uuid[] := road.create_subjects(p_wanted.create_kind, cmd.subject_id, p_wanted.create_refs);
begin
    cmd.further := cmd.further || v_ids;
    cmd.further_seq := cmd.further_seq || array_fill(1::bigint, array[cardinality(v_ids)]);
    return cmd;
end
$$;
comment on function road.create_further(road.call, road.lock_request) is 'The command, with the subjects it creates among its further ones (log number 1).';
