-- Each invariant is shown to notice what it is for.
begin;
\ir ../builders.sql
select plan(17);

select build.running_fixture();
select build.play('goal', '{"side": "home", "minute": 5}');
select is_empty('select * from road.invariants()', 'all is well');
create function build.breakage(p_sql text) returns text[] language plpgsql as $$
declare
    v_names text[];
begin
    execute p_sql;
    select array_agg(distinct i.name order by i.name) into v_names from road.invariants() i;
    raise exception using errcode = 'UM999';
exception when sqlstate 'UM999' then
    return v_names;
end
$$;
select ok('log_gapless' = any (build.breakage('update road.subject set last_seq = last_seq + 1')), 'log_gapless: a number without a log row');
select ok('log_gapless' = any (build.breakage('delete from road.log where seq = 2')), 'log_gapless: a hole');
select ok('log_of_no_subject' = any (build.breakage('update road.log set subject_id = gen_random_uuid()')), 'log_of_no_subject');
select ok('one_note_per_log_row' = any (build.breakage('delete from road.note where seq = 2')), 'one_note_per_log_row: none');
select ok('one_note_per_log_row' = any (build.breakage($$update road.note set body = '{"other": true}'$$)), 'one_note_per_log_row: another body');
select ok('one_note_per_log_row' = any (build.breakage('insert into road.note (xid, subject_id, seq, at, workflow, code, body) select xid, subject_id, seq, at, workflow, code, body from road.note')), 'one_note_per_log_row: two');
select ok('note_of_no_log_row' = any (build.breakage('update road.note set seq = seq + 100')), 'note_of_no_log_row');
select ok('notes_in_seq_order' = any (build.breakage($$update road.note set xid = (1000 - seq)::text::xid8$$)), 'notes_in_seq_order');
select ok('accepted_is_logged_once' = any (build.breakage($$update road.command set seq = seq + 1 where outcome = 'accepted'$$)), 'accepted_is_logged_once');
select ok('logged_was_accepted' = any (build.breakage('delete from road.command')), 'logged_was_accepted');
select ok('answer_is_its_own' = any (build.breakage($$update road.command set answer = answer || '{"key": "other"}'$$)), 'answer_is_its_own');
select ok('replay' = any (build.breakage($$update sport.fixture_score set state = state || '{"score": {"home": 9, "away": 0}}'$$)), 'replay');
select ok('pruned_are_counted' = any (build.breakage('update road.feed set pruned_count = 1')), 'pruned_are_counted: too many');
select ok('pruned_are_counted' = any (build.breakage($$update road.feed set pruned_before = 'infinity'; delete from road.note where seq = 1$$)), 'pruned_are_counted: one was lost where others were pruned');
select ok('one_note_per_log_row' = any (build.breakage($$update road.feed set pruned_before = 'infinity', pruned_count = 1; delete from road.note where seq = 3$$)), 'one_note_per_log_row: pruned from the front only');
select ok('note_behind_watermark' = any (build.breakage($$update road.feed set pruned_xid = '9999999999'$$)), 'note_behind_watermark');

select * from finish();
rollback;
