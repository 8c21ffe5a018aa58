create or replace function sport.noted(p_notes jsonb, p_seq bigint, p_note text)
returns jsonb
language sql
immutable
as $$
    select case when p_note is null then p_notes else p_notes || jsonb_build_array(jsonb_build_object('seq', p_seq, 'note', p_note)) end
$$;
comment on function sport.noted(jsonb, bigint, text) is 'The notes with one more, when there is one.';
