-- Is the subject, or the one it was created under, among the references a sender is limited to?
create or replace function road.may_touch(p_events text[], p_parent_id uuid, p_ref text)
returns boolean
language sql
stable
as $$
    select case
        when p_parent_id is null then p_ref = any (p_events)
        else exists (select from road.subject s where s.subject_id = p_parent_id and s.ref = any (p_events))
    end
$$;
comment on function road.may_touch(text[], uuid, text) is 'True when a sender limited to p_events (references of subjects without a parent) may touch the subject.';
