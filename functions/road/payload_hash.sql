-- jsonb's text is canonical: members sorted, no member twice, no free blanks, numbers in their written scale (1 and 1.0
-- are different payloads). What the sender saw, and when it sent, is not part of it (C-058). This is the text of a jsonb
-- object of the four, without making one: names, a uuid and a reference have no character that JSON escapes.
create or replace function road.payload_hash(p_workflow text, p_code text, p_subject text, p_input jsonb)
returns bytea
language sql
stable
as $$
    select pg_catalog.sha256(pg_catalog.convert_to(
        pg_catalog.concat('{"code": "', p_code, '", "input": ', p_input, ', "subject": "', p_subject, '", "workflow": "', p_workflow, '"}'),
        'UTF8'))
$$;
comment on function road.payload_hash(text, text, text, jsonb) is 'What makes two commands under one key the same command. p_workflow, p_code: as the catalogue has them; p_subject: the subject''s uuid, or kind/ref for a command that creates its subject.';
