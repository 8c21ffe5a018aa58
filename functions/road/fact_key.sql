-- The key of a command that the system sends because it found a fact: whoever finds the fact, and however often, makes the
-- same key, so the command is applied once. Plain text, so that an operator can read what was found.
-- raises: UM003 when the fact is not an object with a member
create or replace function road.fact_key(p_workflow text, p_code text, p_kind text, p_ref text, p_fact jsonb)
returns text
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_ref text := p_ref;
    v_key text;
begin
    if jsonb_typeof(p_fact) is distinct from 'object' or p_fact = '{}' then
        raise exception using errcode = 'UM003', message = 'a fact is a JSON object with at least one member';
    end if;
    -- One finder names the subject by its uuid, the other by its reference.
    if p_ref ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
        v_ref := coalesce((select s.ref from road.subject s where s.kind = p_kind and s.subject_id = p_ref::uuid), p_ref);
    end if;
    v_key := format('%s.%s %s/%s %s', p_workflow, p_code, p_kind, v_ref, p_fact);
    if length(v_key) > 200 then -- the longest key there may be
        v_key := left(v_key, 135) || '~' || encode(sha256(convert_to(v_key, 'UTF8')), 'hex');
    end if;
    return v_key;
end
$$;
comment on function road.fact_key(text, text, text, text, jsonb) is 'The key under which the sender system sends a command because of a fact. p_ref: the subject''s uuid or reference; p_fact: a JSON object that says what was found, the same whoever finds it (1 and 1.0 are different). "WORKFLOW.CODE KIND/REF FACT"; beyond 200 characters the end is a hash of all.';
