-- Step 4 for version level rows: compares what the sender saw with what is there, row by row (C-013, C-074).
-- A row that the command needs and the sender did not name goes to `missing`; an explicit null says "I saw none"; a row
-- that the sender named and that is gone is a conflict that names it.
create or replace function road.compare_rows(cmd road.call, out malformed boolean, out missing text[], out changed jsonb)
language plpgsql
volatile
as $$
begin
    malformed := coalesce(jsonb_typeof(cmd.saw), 'object') <> 'object' or coalesce(jsonb_typeof(cmd.saw -> 'rows'), 'object') <> 'object';
    if not malformed then
        malformed := exists (select from jsonb_each(cmd.saw -> 'rows') e where not road.valid_version(e.value));
    end if;
    if malformed then
        return;
    end if;

    select
        array_agg(c.row_id order by c.row_id) filter (where s.row_id is null),
        jsonb_agg(
            jsonb_build_object('row_id', coalesce(c.row_id, s.row_id), 'changed_seq', c.changed_seq, 'value', c.value)
            order by coalesce(c.row_id, s.row_id)
        ) filter (where s.row_id is not null and c.changed_seq is distinct from s.changed_seq)
    into compare_rows.missing, compare_rows.changed
    from road.dispatch_current(cmd) c
    full join (
        select e.key as row_id, (e.value #>> '{}')::bigint as changed_seq
        from jsonb_each(cmd.saw -> 'rows') e
    ) s on s.row_id = c.row_id;
end
$$;
comment on function road.compare_rows(road.call) is 'malformed: saw.rows is not {row_id: number or null}; missing: rows whose version the sender did not state; changed: rows that moved on, as they are now; the last two are null when all is well.';
