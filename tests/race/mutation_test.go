package race_test

import (
	"strings"
	"testing"

	"umpire/tests/harness"
)

// A mutation breaks one thing in one function; the check named by its rule must then fail. A text that is no longer in
// the function fails too: whoever rewrites a line moves its mutation along.
type mutation struct {
	name     string
	function string // regprocedure
	from, to string // from is replaced wherever it stands
	rule     string // name in rules
}

const (
	execute      = "road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)"
	lockSubjects = "road.lock_subjects(uuid[])"
)

var mutations = []mutation{
	{
		"no second look at the key", execute,
		"into v_first, v_first_hash, v_expired\n    from road.command k\n    where k.sender",
		"into v_first, v_first_hash, v_expired\n    from road.command k\n    where false and k.sender",
		"ID-02_the_twin_waits_and_gets_the_first_answer",
	},
	{
		"the hash is ignored", execute,
		"v_first_hash = road.payload_hash(", "true or v_first_hash = road.payload_hash(",
		"C-012_same_key_other_body_is_key_reused",
	},
	{
		"a duplicate does not carry the first answer", "road.answer_used_key(text,text,text,text,uuid,text,jsonb,boolean)",
		"jsonb_build_object('first', p_first)", "'{}'",
		"ID-02_the_twin_waits_and_gets_the_first_answer",
	},
	{
		"the first look is left out", execute,
		"left join road.command k on k.sender = p_sender", "left join road.command k on false and k.sender = p_sender",
		"C-010_a_finished_key_is_answered_without_a_lock",
	},
	{
		"the actor is no part of the key", execute,
		"where k.sender = p_sender and k.actor = p_actor and", "where k.sender = p_sender and",
		"ID-15_keys_belong_to_sender_and_actor",
	},
	{
		"the sender is no part of the key's lock", execute,
		`hashtextextended(concat_ws(E'\x1f', p_sender, p_actor, p_command_id), 0)`, "hashtextextended(p_command_id, 0)",
		"ID-15_keys_belong_to_sender_and_actor",
	},
	{
		"no lock on the subject", execute,
		"for no key update of s;", ";",
		"C-013_a_play_that_was_missed_is_a_conflict",
	},
	{
		"FOR UPDATE", execute,
		"for no key update of s;", "for update of s;",
		"C-031_child_rows_may_be_inserted_under_the_lock",
	},
	{
		"a weaker lock", execute,
		"for no key update of s;", "for share of s;",
		"C-031_child_rows_may_be_inserted_under_the_lock",
	},
	{
		"no lock on the key", execute,
		`or not pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\x1f', p_sender, p_actor, p_command_id), 0)) then`, "then",
		"ID-15_one_key_on_two_subjects_meets_at_the_key",
	},
	{
		"what has to be locked is not read again", execute,
		"if v_traits.locks and road.dispatch_locks(cmd) is distinct from v_wanted then", "if false then",
		"creating_a_fixture_under_its_event_by_two_at_once",
	},
	{
		"plays are not compared", execute,
		"if v_traits.level = 'play' then", "if false then",
		"C-013_a_play_that_was_missed_is_a_conflict",
	},
	{
		"rows are not compared", execute,
		"elsif v_traits.level = 'rows' then", "elsif false then",
		"C-013_a_row_that_moved_on_is_a_conflict",
	},
	{
		"missing is equal", execute,
		"not p_saw ? 'play'", "false",
		"missing_is_not_equal",
	},
	{
		"a missing row is equal", execute,
		"elsif v_missing is not null then", "elsif false then",
		"missing_is_not_equal",
	},
	{
		"every command is a play", execute,
		"case v_traits.level when 'play' then cmd.seq else s.last_play_seq end", "cmd.seq",
		"C-073_commentary_does_not_make_a_play_conflict",
	},
	{
		"the version of a play is the last log number", execute,
		"is distinct from nullif(v_last_play_seq, 0)", "is distinct from nullif(v_last_seq, 0)",
		"C-073_commentary_does_not_make_a_play_conflict",
	},
	{
		"every error is a refusal", execute,
		"exception when sqlstate 'UM001' then", "exception when others then",
		"C-132_an_error_leaves_nothing",
	},
	{
		"a refusal is not stored", execute,
		"insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)\n        values (p_sender, p_actor, p_command_id, v_subject_id, null", "return; insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)\n        values (p_sender, p_actor, p_command_id, v_subject_id, null",
		"C-071_a_refusal_is_stored_and_nothing_else",
	},
	{
		"what a refused command wrote stays", execute,
		"-- 5. The command's own", "insert into road.note (xid, subject_id, seq, at, workflow, code, body) values ('1', cmd.subject_id, 99, v_at, 'w', 'c', '{}'); -- 5. The command's own",
		"C-071_a_refusal_is_stored_and_nothing_else",
	},
	{
		"notes carry the transaction's xid", execute,
		"else 0 end)::text::xid8;", "else 0 end)::text::xid8; v_note_xid := pg_current_xact_id();",
		"outbox_order_notes_come_in_seq_order",
	},
	{
		"notes carry the xid of the transaction that the command is part of", execute,
		"(v_last_xid < pg_current_xact_id()) is not true", "v_last_xid is null",
		"outbox_order_in_a_transaction_that_had_an_xid",
	},
	{
		"a further subject does not know the xid of its last note", execute,
		", last_xid = v_note_xid", "",
		"outbox_order_after_a_note_on_a_further_subject",
	},
	{
		"an xid before the first lock", execute,
		"-- 1. The key, without a lock", "perform pg_current_xact_id(); -- 1. The key, without a lock",
		"waiting_for_a_first_lock_holds_no_xid",
	},
	{
		"any isolation level", execute,
		"if current_setting('transaction_isolation') <> 'read committed' then", "if false then",
		"C-035_only_READ_COMMITTED",
	},
	{
		"the token is not looked at", execute,
		"p_token_sha256 is null or", "true or",
		"senders_a_token_is_checked_with_the_command",
	},
	{
		"a disabled sender may go on", execute,
		"d.disabled_at is null", "true",
		"senders_a_token_is_checked_with_the_command",
	},
	{
		"no log rows on further subjects", execute,
		"returning xmin::text::bigint into v_sub_xid;\n            if v_handled ? 'further' then", "returning xmin::text::bigint into v_sub_xid;\n            if false then",
		"C-114_every_subject_that_is_changed_gets_log_and_note",
	},
	{
		"further subjects keep their number", execute,
		"set last_seq = road.seq_of(cmd, s.subject_id)", "set last_seq = s.last_seq",
		"C-114_every_subject_that_is_changed_gets_log_and_note",
	},
	{
		"commits do not wait for the log", execute,
		"-- 1. The key, without a lock", "perform set_config('synchronous_commit', 'off', true); -- 1. The key, without a lock",
		"C-075_commits_wait_for_the_log",
	},
	{
		"a second lock is waited for as long as a first", lockSubjects,
		" SET lock_timeout TO '200ms'\n", "",
		"C-076_a_second_lock_is_never_waited_for_long",
	},
	{
		"a key is waited for as long as a first lock", "road.lock_key(bigint)",
		" SET lock_timeout TO '200ms'\n", "",
		"C-076_a_key_is_never_waited_for_long",
	},
	{
		"a reference is waited for as long as a first lock", "road.create_subjects(text, uuid, text[])",
		" SET lock_timeout TO '200ms'\n", "",
		"C-076_a_reference_is_never_waited_for_long",
	},
	{
		"the fixture before the event", lockSubjects,
		"order by s.lock_rank, s.subject_id", "order by s.lock_rank desc, s.subject_id",
		"C-032_the_event_is_locked_before_the_fixture",
	},
	{
		"ids the other way round", lockSubjects,
		"order by s.lock_rank, s.subject_id", "order by s.lock_rank, s.subject_id desc",
		"C-032_ids_are_sorted_inside_a_kind",
	},
	{
		"several subjects are not locked", lockSubjects,
		"for no key update of s", "",
		"C-013_a_row_that_moved_on_is_a_conflict",
	},
	{
		"a reference that is taken breaks the command", "road.create_subjects(text,uuid,text[])",
		"on conflict (kind, ref) do nothing", "",
		"creating_two_creates_of_one_reference",
	},
	{
		"a reference that is taken is created again", "road.create_subjects(text,uuid,text[])",
		"on conflict (kind, ref) do nothing", "on conflict (kind, ref) do update set ref = excluded.ref",
		"creating_two_creates_of_one_reference",
	},
	{
		"readers do not wait for the horizon", "road.notes(xid8,bigint,integer)",
		"and n.xid < pg_snapshot_xmin(pg_current_snapshot())", "",
		"C-115_a_late_commit_is_never_skipped",
	},
	{
		"readers look at the newest transaction", "road.notes(xid8,bigint,integer)",
		"pg_snapshot_xmin(pg_current_snapshot())", "pg_snapshot_xmax(pg_current_snapshot())",
		"C-115_a_late_commit_is_never_skipped",
	},
}

func TestMutations(t *testing.T) {
	base := harness.New(t)
	layOut(t, base.URL())
	for _, m := range mutations {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c, known := rules[m.rule]
			if !known {
				t.Fatalf("there is no rule %s", m.rule)
			}
			b := clone(t, base.URL())
			m.apply(t, b)
			failures := failuresOf(t, c, b)
			if len(failures) == 0 {
				t.Fatalf("%s, and %s does not notice", m.name, m.rule)
			}
			t.Logf("noticed: %s", failures[0])
		})
	}
}

func (m mutation) apply(t testing.TB, b *bed) {
	t.Helper()
	conn := connect(t, b.url, nil)
	before := value[string](t, conn, "select pg_get_functiondef(to_regprocedure($1))", m.function)
	after := strings.ReplaceAll(before, m.from, m.to)
	if after == before {
		t.Fatalf("%s does not hold this text any more:\n%s", m.function, m.from)
	}
	exec(t, conn, after)
}
