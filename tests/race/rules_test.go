package race_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"umpire/tests/harness"
)

// rules are the checks by the name of the rule that each proves.
var rules = map[string]check{
	"C-010_a_finished_key_is_answered_without_a_lock":                 finishedKeyWithoutLock,
	"C-012_same_key_other_body_is_key_reused":                         keyReused,
	"C-013_a_play_that_was_missed_is_a_conflict":                      playConflict,
	"C-013_a_row_that_moved_on_is_a_conflict":                         rowsConflict,
	"C-030_the_lock_vanishes_with_the_connection":                     lockVanishes,
	"C-030_no_row_is_touched_by_waiting":                              waitingLeavesNothing,
	"C-031_child_rows_may_be_inserted_under_the_lock":                 childRows,
	"C-032_the_event_is_locked_before_the_fixture":                    eventFirst,
	"C-032_ids_are_sorted_inside_a_kind":                              sortedInsideAKind,
	"C-032_crossing_commands_do_not_deadlock":                         crossing,
	"C-033_of_a_deadlock_one_is_answered_and_nothing_is_left":         deadlock,
	"C-035_only_READ_COMMITTED":                                       isolation,
	"C-036_reads_never_wait":                                          readsNeverWait,
	"C-071_a_refusal_is_stored_and_nothing_else":                      refusalStored,
	"C-072_a_goal_and_an_edit_of_the_schedule_do_not_conflict":        goalAndEdit,
	"C-073_commentary_does_not_make_a_play_conflict":                  commentaryAndGoal,
	"C-075_a_constraint_that_fails_at_commit_leaves_nothing":          deferredConstraint,
	"C-075_commits_wait_for_the_log":                                  synchronousCommit,
	"C-076_a_second_lock_is_never_waited_for_long":                    secondLockIsShort,
	"C-076_a_key_is_never_waited_for_long":                            keyLockIsShort,
	"C-076_a_reference_is_never_waited_for_long":                      createIsShort,
	"batch_crossing_batches_do_not_deadlock":                          crossingBatches,
	"batch_all_locks_come_first":                                      batchLocksFirst,
	"C-114_every_subject_that_is_changed_gets_log_and_note":           furtherIsLogged,
	"C-115_a_late_commit_is_never_skipped":                            lateCommit,
	"C-132_an_error_leaves_nothing":                                   errorLeavesNothing,
	"ID-01_many_at_once_under_one_key":                                manyAtOnce,
	"ID-02_the_twin_waits_and_gets_the_first_answer":                  twinCommitted,
	"ID-02_the_twin_is_applied_when_the_first_rolls_back":             twinRolledBack,
	"ID-15_one_key_on_two_subjects_meets_at_the_key":                  keyOnTwoSubjects,
	"ID-15_keys_belong_to_sender_and_actor":                           keyScope,
	"creating_two_creates_of_one_reference":                           twoCreates,
	"creating_a_fixture_under_its_event_by_two_at_once":               fixtureByTwo,
	"creating_one_fixture_under_two_events_at_once":                   fixtureUnderTwoEvents,
	"missing_is_not_equal":                                            missingIsNotEqual,
	"outbox_order_notes_come_in_seq_order":                            outboxOrder,
	"outbox_order_in_a_transaction_that_had_an_xid":                   outboxOrderInOldTransaction,
	"outbox_order_after_a_note_on_a_further_subject":                  outboxOrderAfterFurther,
	"senders_a_token_is_checked_with_the_command":                     tokenChecked,
	"waiting_for_a_first_lock_holds_no_xid":                           firstWaiterHoldsNoXid,
	"PG-16_SP-10_the_same_subject_twice_in_one_command_locks_it_once": sameSubjectTwice,
}

func TestRules(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := harness.New(t) // whose invariants must hold afterwards
			layOut(t, db.URL())
			rules[name](t, &bed{url: db.URL()})
		})
	}
}

func finishedKeyWithoutLock(t testing.TB, b *bed) {
	a, c := b.session(t), b.sessionWith(t, map[string]string{"lock_timeout": "1s"})
	a.want(t, note("final").under("k"), "accepted")
	a.begin(t)
	a.want(t, note("final"), "accepted") // holds the lock
	c.want(t, note("final").under("k"), "duplicate")
	a.commit(t)
}

func keyReused(t testing.TB, b *bed) {
	a := b.session(t)
	a.want(t, note("final").under("k"), "accepted")
	other := note("final").under("k")
	other.input = `{"text": "y"}`
	a.want(t, other, "refused key_reused")
	a.want(t, note("semi").under("k"), "refused key_reused")
	a.want(t, note("final").under("k"), "duplicate")
}

func playConflict(t testing.TB, b *bed) {
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, goal("final", 2), "accepted")
	late := c.start(t, goal("final", 2))
	late.waits(t)
	a.commit(t)
	got := late.answer(t)
	got.must(t, "conflict version_moved")
	if !strings.Contains(got.body, `"fixture/final/play/3"`) || !strings.Contains(got.body, `"code": "goal"`) {
		t.Errorf("C-074: the conflict does not carry the play that was missed: %s", got.body)
	}
	c.want(t, goal("final", 3), "accepted")
}

func rowsConflict(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, put("final", "North", "1"), "accepted")
	late := c.start(t, put("final", "South", "1"))
	late.waits(t)
	a.commit(t)
	got := late.answer(t)
	got.must(t, "conflict version_moved")
	if !strings.Contains(got.body, `"venue": "North"`) {
		t.Errorf("C-074: the conflict does not show the row as it is now: %s", got.body)
	}
	if venue := value[string](t, c.Conn, "select venue from sport.fixture_schedule h join road.subject s on s.subject_id = h.fixture_id where s.ref = 'final'"); venue != "North" {
		t.Errorf("the late edit was applied: %s", venue)
	}
}

func lockVanishes(t testing.TB, b *bed) {
	a, c, operator := b.session(t), b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final").under("lost"), "accepted")
	next := c.start(t, note("final"))
	next.waits(t)
	value[bool](t, operator.Conn, "select pg_terminate_backend($1)", int32(a.PgConn().PID()))
	got := next.answer(t)
	got.must(t, "accepted")
	if got.seq != 3 {
		t.Errorf("seq is %d: the lost command left something", got.seq)
	}
	c.want(t, note("final").under("lost"), "accepted")
}

func waitingLeavesNothing(t testing.TB, b *bed) {
	a, c := b.session(t), b.sessionWith(t, map[string]string{"lock_timeout": "50ms"})
	before := value[string](t, a.Conn, "select s::text || s.xmin from road.subject s where s.ref = 'final'")
	a.begin(t)
	exec(t, a.Conn, "select from road.subject where ref = 'final' for no key update")
	c.want(t, note("final").under("k"), "error 55P03")
	a.rollback(t)
	if after := value[string](t, a.Conn, "select s::text || s.xmin from road.subject s where s.ref = 'final'"); after != before {
		t.Errorf("the row was changed: %s, then %s", before, after)
	}
	c.want(t, note("final").under("k"), "accepted")
}

func childRows(t testing.TB, b *bed) {
	a, child := b.session(t), b.sessionWith(t, map[string]string{"lock_timeout": "1s"})
	exec(t, a.Conn, "create table public.child (subject_id uuid references road.subject)")
	a.begin(t)
	// A refused command: it has locked, and has not written the row.
	refused := goal("final", 2)
	refused.input = `{"side": "home", "minute": 60}`
	a.want(t, refused, "refused wrong_minute")

	exec(t, child.Conn, "insert into public.child select subject_id from road.subject where ref = 'final'")
	exec(t, child.Conn, "select from road.subject where ref = 'final' for key share nowait")
	if n := value[int](t, child.Conn, "select count(*)::int from (select from road.subject where ref = 'final' for share skip locked) l"); n != 0 {
		t.Error("the row is not locked FOR NO KEY UPDATE: somebody else got it FOR SHARE")
	}
	a.commit(t)
}

func eventFirst(t testing.TB, b *bed) {
	b.patient(t)
	a, c, holder := b.session(t), b.sessionWith(t, map[string]string{"lock_timeout": "1s"}), b.session(t)
	holder.begin(t)
	exec(t, holder.Conn, "select from road.subject where ref = 'cup' for no key update")
	edit := a.start(t, put("final", "North", "1"))
	edit.waits(t)
	// While it waits for the event it has not got the fixture.
	c.want(t, note("final"), "accepted")
	holder.rollback(t)
	edit.answer(t).must(t, "accepted")
}

func sortedInsideAKind(t testing.TB, b *bed) {
	b.patient(t)
	a, c, holder := b.session(t), b.sessionWith(t, map[string]string{"lock_timeout": "1s"}), b.session(t)
	ordered := values[string](t, a.Conn, "select ref from road.subject where ref in ('final', 'semi') order by subject_id")
	low, high := ordered[0], ordered[1]
	holder.begin(t)
	exec(t, holder.Conn, "select from road.subject where ref = '"+low+"' for no key update")
	// Whichever of the two is the command's own: waiting for the lower it has not got the higher.
	one := a.start(t, touch(high, a.subject(t, low)))
	one.waits(t)
	c.want(t, note(high), "accepted")
	two := b.session(t).start(t, touch(low, c.subject(t, high)))
	two.waits(t)
	c.want(t, note(high), "accepted")
	holder.rollback(t)
	one.answer(t).must(t, "accepted")
	two.answer(t).must(t, "accepted")
}

func crossing(t testing.TB, b *bed) {
	b.patient(t)
	a := b.session(t)
	final, semi, cup, bowl := a.subject(t, "final"), a.subject(t, "semi"), a.subject(t, "cup"), a.subject(t, "bowl")
	commands := []command{
		touch("final", semi, cup), touch("semi", bowl, final), touch("other", cup, semi, final), touch("final", bowl, cup), touch("semi", cup), touch("other", final),
	}
	var all []*sent
	for range 20 {
		all = all[:0]
		for _, c := range commands {
			all = append(all, b.session(t).start(t, c))
		}
		for _, one := range all {
			one.answer(t).must(t, "accepted")
			_ = one.session.Close(t.Context())
		}
	}
}

func deadlock(t testing.TB, b *bed) {
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final").under("a1"), "accepted")
	c.begin(t)
	c.want(t, note("semi").under("c1"), "accepted")
	one := a.start(t, note("semi").under("a2"))
	one.waits(t)
	two := c.start(t, note("final").under("c2"))
	// The victim's transaction ends with its error; whoever is left goes on.
	var loser, winner *sent
	select {
	case <-one.done:
		loser, winner = one, two
	case <-two.done:
		loser, winner = two, one
	}
	if loser.answer(t).brief == "accepted" {
		loser, winner = winner, loser
	}
	loser.answer(t).must(t, "error 40P01")
	loser.session.rollback(t)
	winner.answer(t).must(t, "accepted")
	winner.session.commit(t)
	if n := value[int](t, b.session(t).Conn, "select count(*)::int from road.command where command_id in ('a1', 'a2', 'c1', 'c2')"); n != 2 {
		t.Errorf("%d commands saved, want the winner's 2", n)
	}
}

func isolation(t testing.TB, b *bed) {
	a := b.session(t)
	for _, level := range []string{"repeatable read", "serializable"} {
		exec(t, a.Conn, "begin isolation level "+level)
		a.want(t, note("final"), "error UM004")
		a.rollback(t)
	}
	a.want(t, note("final"), "accepted")
}

func readsNeverWait(t testing.TB, b *bed) {
	a := b.session(t)
	reader := b.sessionWith(t, map[string]string{"lock_timeout": "1ms", "default_transaction_read_only": "on"})
	a.begin(t)
	a.want(t, put("final", "North", "1"), "accepted")
	a.want(t, goal("final", 2), "accepted")
	for _, read := range []string{
		"select road.read('fixture', 'final')", "select road.read('fixture', 'final', 'plays')", "select road.read('fixture', 'final', 'commentary')",
		"select road.read('fixture', 'final', 'log', null, 10, 'scorer')", "select road.read('event', 'cup')", "select road.read('event', 'cup', 'fixtures')",
		"select road.notes('0', 0)", "select road.saved_command('scorer', 'lay-1')", "select road.sender_by_token(sha256('scorer'))", "select road.invariants()",
	} {
		exec(t, reader.Conn, read)
	}
	if locks := values[string](t, reader.Conn, "select mode from pg_locks where locktype in ('tuple', 'transactionid') and pid = pg_backend_pid()"); len(locks) > 0 {
		t.Errorf("reading took row locks: %v", locks)
	}
	a.commit(t)
}

func refusalStored(t testing.TB, b *bed) {
	a := b.session(t)
	state := `select jsonb_build_object('subjects', (select jsonb_agg(s order by s.ref) from road.subject s), 'log', (select count(*) from road.log),
	    'notes', (select count(*) from road.note), 'plays', (select count(*) from sport.play), 'score', (select jsonb_agg(c order by c.fixture_id) from sport.fixture_score c))::text`
	before := value[string](t, a.Conn, state)
	refused := goal("final", 2).under("no")
	refused.input = `{"side": "home", "minute": 60}`
	first := a.want(t, refused, "refused wrong_minute")
	a.want(t, command{what: "event.create", ref: "cup", input: `{"name": "again"}`, key: "no-2"}, "refused exists")
	a.want(t, command{what: "event.create", ref: "late", input: `{"name": "x", "starts_on": "2022-02-02", "ends_on": "2022-01-01"}`, key: "no-3"}, "refused dates_reversed")
	if after := value[string](t, a.Conn, state); after != before {
		t.Errorf("C-071: a refusal wrote something:\n%s\n%s", before, after)
	}
	if stored := value[string](t, a.Conn, "select coalesce((select answer::text from road.command where command_id = 'no'), 'nothing')"); stored != first.body {
		t.Errorf("C-055: answered %s, stored %s", first.body, stored)
	}
	a.want(t, refused, "duplicate")
}

func goalAndEdit(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, goal("final", 2), "accepted")
	edit := c.start(t, put("final", "North", "1"))
	edit.waits(t)
	a.commit(t)
	edit.answer(t).must(t, "accepted")

	c.begin(t)
	c.want(t, put("final", "South", "4"), "accepted")
	scored := a.start(t, goal("final", 3))
	scored.waits(t)
	c.commit(t)
	scored.answer(t).must(t, "accepted")
}

func commentaryAndGoal(t testing.TB, b *bed) {
	a := b.session(t)
	a.want(t, note("final"), "accepted")
	a.want(t, goal("final", 2), "accepted")
	a.want(t, goal("final", 3), "conflict version_moved")
	a.want(t, goal("final", 4), "accepted")
}

// The answer arrives before the commit fails: it must not be believed, and nothing may be saved.
func deferredConstraint(t testing.TB, b *bed) {
	a := b.session(t)
	exec(t, a.Conn, `
		create function public.no() returns trigger language plpgsql as $$begin raise exception using errcode = '23514'; end$$;
		create constraint trigger no after insert on road.command deferrable initially deferred for each row execute function public.no()`)
	a.want(t, note("final").under("k"), "error 23514")
	a.begin(t)
	a.want(t, note("final").under("k"), "accepted")
	if _, err := a.Exec(t.Context(), "commit"); err == nil {
		t.Error("the commit did not fail")
	}
	exec(t, a.Conn, "drop trigger no on road.command")
	if saved := value[bool](t, a.Conn, "select road.saved_command('scorer', 'k') is not null"); saved {
		t.Error("something was saved")
	}
	if got := a.want(t, note("final").under("k"), "accepted"); got.seq != 3 {
		t.Errorf("seq is %d, want 3", got.seq)
	}
}

func synchronousCommit(t testing.TB, b *bed) {
	a := b.session(t)
	a.begin(t)
	a.want(t, note("final"), "accepted")
	if on := value[string](t, a.Conn, "show synchronous_commit"); on != "on" {
		t.Errorf("synchronous_commit is %s at COMMIT", on)
	}
	a.commit(t)
}

func secondLockIsShort(t testing.TB, b *bed) {
	holder, a := b.session(t), b.impatient(t)
	semi := a.subject(t, "semi")
	holder.begin(t)
	exec(t, holder.Conn, "select from road.subject where ref = 'semi' for no key update")
	got := a.want(t, touch("final", semi).under("k"), "error 55P03")
	if !strings.Contains(got.where(), "road.lock_subjects") {
		t.Errorf("not raised in road.lock_subjects: %s", got.where())
	}
	if n := value[int](t, holder.Conn, "select count(*)::int from road.command where command_id = 'k'"); n != 0 {
		t.Error("something was stored")
	}
	holder.rollback(t)
	a.want(t, touch("final", semi).under("k"), "accepted")
}

func keyLockIsShort(t testing.TB, b *bed) {
	holder, a := b.session(t), b.impatient(t)
	holder.begin(t)
	holder.want(t, note("semi").under("k"), "accepted")
	got := a.want(t, note("final").under("k"), "error 55P03")
	if !strings.Contains(got.where(), "road.lock_key") {
		t.Errorf("not raised in road.lock_key: %s", got.where())
	}
	holder.rollback(t)
	a.want(t, note("final").under("k"), "accepted")
}

func createIsShort(t testing.TB, b *bed) {
	holder, a := b.session(t), b.impatient(t)
	create := command{what: "event.create", ref: "new", input: `{"name": "New"}`}
	holder.begin(t)
	holder.want(t, create.under("a"), "accepted")
	got := a.want(t, create.under("k"), "error 55P03")
	if !strings.Contains(got.where(), "road.create_subjects") {
		t.Errorf("not raised in road.create_subjects: %s", got.where())
	}
	holder.rollback(t)
	a.want(t, create.under("k"), "accepted")
}

// batch is lines of commentary in one call of road.execute_many, one for each reference.
func batch(prefix string, refs ...string) string {
	items := make([]map[string]any, len(refs))
	for i, ref := range refs {
		items[i] = map[string]any{
			"sender": "scorer", "workflow": "fixture", "kind": "fixture", "ref": ref, "code": "note", "key": fmt.Sprint(prefix, i), "input": map[string]any{"text": "x"},
		}
	}
	body, err := json.Marshal(items)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(body)
}

const acceptedOfBatch = "select count(*)::int from road.execute_many($1) m where m.outcome = 'accepted'"

// Two batches name the same subjects in opposite orders: one waits for the other, and neither is a victim.
func crossingBatches(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	a.begin(t)
	if n := value[int](t, a.Conn, acceptedOfBatch, batch("a", "final", "semi")); n != 2 {
		t.Fatalf("%d of 2 accepted", n)
	}
	done := make(chan error, 1)
	go func() {
		var n int
		err := c.QueryRow(context.Background(), acceptedOfBatch, batch("c", "semi", "final")).Scan(&n)
		if err == nil && n != 2 {
			err = fmt.Errorf("%d of 2 accepted", n)
		}
		done <- err
	}()
	watch := b.session(t)
	for !value[bool](t, watch.Conn, "select cardinality(pg_blocking_pids($1)) > 0", int32(c.PgConn().PID())) {
		select {
		case err := <-done:
			t.Fatalf("the second batch did not wait: %v", err)
		default:
		}
	}
	a.commit(t)
	if err := <-done; err != nil {
		t.Errorf("the batch that waited: %v", err)
	}
}

// While the last subject of a batch is held by somebody else, nothing of the batch has been written.
func batchLocksFirst(t testing.TB, b *bed) {
	holder, a := b.session(t), b.impatient(t)
	holder.begin(t)
	exec(t, holder.Conn, "select from road.subject where ref = 'semi' for no key update")
	_, err := a.Exec(t.Context(), acceptedOfBatch, batch("a", "final", "semi"))
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "55P03" || !strings.Contains(pg.Where, "road.lock_subjects") {
		t.Errorf("got %v, want 55P03 of road.lock_subjects", err)
	}
	if err == nil || strings.Contains(pg.Where, "road.execute(") {
		t.Errorf("a command was under way before all locks were there: %v", err)
	}
	holder.rollback(t)
	if n := value[int](t, a.Conn, acceptedOfBatch, batch("a", "final", "semi")); n != 2 {
		t.Errorf("%d of 2 accepted afterwards", n)
	}
}

func furtherIsLogged(t testing.TB, b *bed) {
	a := b.session(t)
	a.want(t, touch("final", a.subject(t, "semi"), a.subject(t, "bowl")).under("k"), "accepted")
	for _, table := range []string{"road.log l where l.command_id = 'k'", "road.note n where n.workflow = 'pair'"} {
		if n := value[int](t, a.Conn, "select count(*)::int from "+table); n != 3 {
			t.Errorf("%d rows in %s, want one for each of 3 subjects", n, table)
		}
	}
	if broken := values[string](t, a.Conn, "select name from road.invariants()"); len(broken) > 0 {
		t.Errorf("broken: %v", broken)
	}
}

// reader follows the outbox as every reader does.
type reader struct {
	session *session
	xid     string
	id      int64
	page    int
	seen    []seenNote
}

type seenNote struct {
	subject string
	seq     int64
}

func (r *reader) read(t testing.TB) int {
	t.Helper()
	rows, err := r.session.Query(t.Context(), "select n.note_xid::text, n.note_id, n.subject_id::text, n.seq from road.notes($1::text::xid8, $2, $3) n", r.xid, r.id, r.page)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var s seenNote
		if err := rows.Scan(&r.xid, &r.id, &s.subject, &s.seq); err != nil {
			t.Fatal(err)
		}
		r.seen = append(r.seen, s)
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

// readAll reads to the end, once nobody is in the way of the newest note.
func (r *reader) readAll(t testing.TB) {
	t.Helper()
	// The horizon is the cluster's: a mutation beside this that waits in vain for its limit, in a transaction, holds it up.
	deadline := time.Now().Add(4 * limit)
	for {
		if r.read(t) > 0 {
			deadline = time.Now().Add(4 * limit)
			continue
		}
		// Asked before the last look: what was written by now is not held back any more.
		passed := value[bool](t, r.session.Conn, "select coalesce(max(n.xid) < pg_snapshot_xmin(pg_current_snapshot()), true) from road.note n")
		if passed && r.read(t) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("page size %d: somebody holds back the readers; got %d notes; %s", r.page, len(r.seen), value[string](t, r.session.Conn, `
				select format('%s are there, the last under %s; the horizon is %s; %s',
				    (select count(*) from road.note), (select max(n.xid) from road.note n), pg_snapshot_xmin(pg_current_snapshot()),
				    coalesce((
				        select string_agg(format('pid %s (%s) has had %s since %s: %s, %s', a.pid, a.application_name, a.backend_xid, a.xact_start, a.state, a.query), '; ')
				        from pg_stat_activity a where a.backend_xid is not null), 'nobody has a transaction id'))`))
		}
	}
}

// complete fails when a note is missing, comes twice, or comes out of its subject's order.
func (r *reader) complete(t testing.TB) {
	t.Helper()
	last := map[string]int64{}
	for _, s := range r.seen {
		if s.seq != last[s.subject]+1 {
			t.Errorf("page size %d: subject %s: %d comes after %d", r.page, s.subject, s.seq, last[s.subject])
		}
		last[s.subject] = s.seq
	}
	if total := value[int](t, r.session.Conn, "select count(*)::int from road.note"); len(r.seen) != total {
		t.Errorf("page size %d: read %d of %d notes", r.page, len(r.seen), total)
	}
}

func newReader(t testing.TB, b *bed, page int) *reader {
	t.Helper()
	return &reader{session: b.session(t), xid: "0", page: page}
}

func lateCommit(t testing.TB, b *bed) {
	late, c := b.session(t), b.session(t)
	readers := []*reader{newReader(t, b, 1), newReader(t, b, 3), newReader(t, b, 500)}
	late.begin(t)
	late.want(t, note("final").under("late"), "accepted")
	for range 20 {
		c.want(t, note("semi"), "accepted")
		c.want(t, note("other"), "accepted")
		for _, r := range readers {
			r.read(t)
		}
	}
	late.commit(t)
	for _, r := range readers {
		r.readAll(t)
		r.complete(t)
	}
}

func errorLeavesNothing(t testing.TB, b *bed) {
	a := b.session(t)
	const count = "select (select count(*) from road.command)::int + (select count(*) from road.log)::int + (select count(*) from road.note)::int + (select count(*) from sport.play)::int + (select sum(last_seq) from road.subject)::int"
	before := value[int](t, a.Conn, count)
	good := value[string](t, a.Conn, "select pg_get_functiondef('sport.football_goal(jsonb,jsonb)'::regprocedure)")
	for _, body := range []string{"begin return 1 / 0; end", "begin raise exception 'a bug'; end", "begin raise exception using errcode = '53100'; end", "begin raise unique_violation; end",
		// with everything that a refusal has but its SQLSTATE
		`begin raise exception using errcode = 'UM002', constraint = 'not_running', message = 'No.', detail = '{}'; end`} {
		exec(t, a.Conn, "create or replace function sport.football_goal(p_state jsonb, p_play jsonb) returns jsonb language plpgsql as $$"+body+"$$")
		if got := a.send(t, goal("final", 2).under("k")); !strings.HasPrefix(got.brief, "error ") {
			t.Errorf("%s: answered %s", body, got.brief)
		}
	}
	if after := value[int](t, a.Conn, count); after != before {
		t.Errorf("something was left: %d rows, then %d", before, after)
	}
	exec(t, a.Conn, good)
	a.want(t, goal("final", 2).under("k"), "accepted")
}

func manyAtOnce(t testing.TB, b *bed) {
	sessions := make([]*session, 6)
	for i := range sessions {
		sessions[i] = b.session(t)
	}
	for round := range 25 {
		key := fmt.Sprintf("round-%d", round)
		other := note("final").under(key)
		other.input = `{"text": "another"}`
		all := []*sent{}
		for i, s := range sessions {
			c := note("final").under(key)
			if i == 5 {
				c = other
			}
			all = append(all, s.start(t, c))
		}
		count := map[string]int{}
		firsts := map[string]bool{}
		for _, one := range all[:5] {
			got := one.answer(t)
			count[got.brief]++
			switch got.brief {
			case "accepted":
				firsts[canonical(t, got.body)] = true
			case "duplicate":
				var d struct{ First json.RawMessage }
				if err := json.Unmarshal([]byte(got.body), &d); err != nil {
					t.Fatal(err)
				}
				firsts[canonical(t, string(d.First))] = true
			}
		}
		count[all[5].answer(t).brief]++
		// Whoever is first is accepted, its copies are duplicates, the other is key_reused.
		same := count["accepted"] == 1 && count["duplicate"] == 4 && count["refused key_reused"] == 1 && len(firsts) == 1
		otherWon := count["accepted"] == 1 && count["refused key_reused"] == 5
		if !same && !otherWon {
			t.Fatalf("round %d: %v, %d different first answers", round, count, len(firsts))
		}
	}
}

func canonical(t testing.TB, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func twinCommitted(t testing.TB, b *bed) {
	a, c := b.session(t), b.session(t)
	a.begin(t)
	first := a.want(t, note("final").under("k"), "accepted")
	twin := c.start(t, note("final").under("k"))
	twin.waits(t)
	a.commit(t)
	got := twin.answer(t)
	got.must(t, "duplicate")
	var d struct{ First json.RawMessage }
	if err := json.Unmarshal([]byte(got.body), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.First) == 0 || canonical(t, string(d.First)) != canonical(t, first.body) {
		t.Errorf("the twin got %s, the first %s", d.First, first.body)
	}
}

func twinRolledBack(t testing.TB, b *bed) {
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final").under("k"), "accepted")
	twin := c.start(t, note("final").under("k"))
	twin.waits(t)
	a.rollback(t)
	got := twin.answer(t)
	got.must(t, "accepted")
	if got.seq != 3 {
		t.Errorf("seq is %d, want 3", got.seq)
	}
}

func keyOnTwoSubjects(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final").under("k"), "accepted")
	second := c.start(t, note("semi").under("k"))
	second.waits(t)
	a.commit(t)
	second.answer(t).must(t, "refused key_reused")

	a.begin(t)
	a.want(t, note("final").under("k2"), "accepted")
	third := c.start(t, note("semi").under("k2"))
	third.waits(t)
	a.rollback(t)
	third.answer(t).must(t, "accepted")
}

func keyScope(t testing.TB, b *bed) {
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final").under("k"), "accepted")
	// Another sender's key, and an actor's, are others: nobody waits for the first.
	c.want(t, note("semi").under("k").by("rival", ""), "accepted")
	c.want(t, note("semi").under("k").by("scorer", "ann"), "accepted")
	a.commit(t)
	c.want(t, note("semi").under("k").by("scorer", "bob"), "accepted")
	c.want(t, note("semi").under("k").by("scorer", "ann"), "duplicate")
}

func twoCreates(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	create := command{what: "event.create", ref: "new", input: `{"name": "New"}`}
	a.begin(t)
	a.want(t, create.under("a"), "accepted")
	second := c.start(t, create.under("c"))
	second.waits(t)
	a.commit(t)
	second.answer(t).must(t, "refused exists")
	c.want(t, create.under("c"), "duplicate")

	create.ref = "newer"
	a.begin(t)
	a.want(t, create.under("a2"), "accepted")
	third := c.start(t, create.under("c2"))
	third.waits(t)
	a.rollback(t)
	third.answer(t).must(t, "accepted")
}

func fixtureByTwo(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	a.begin(t)
	a.want(t, put("new", "North", "null"), "accepted")
	second := c.start(t, put("new", "South", "null").under("k"))
	second.waits(t)
	a.commit(t)
	second.answer(t).must(t, "try_again locks_changed")
	if n := value[int](t, c.Conn, "select count(*)::int from road.command where command_id = 'k'"); n != 0 {
		t.Error("try again was stored")
	}
	// Sent again, it finds the fixture.
	c.want(t, put("new", "South", "null").under("k"), "conflict version_moved")
}

func fixtureUnderTwoEvents(t testing.TB, b *bed) {
	b.patient(t)
	a, c := b.session(t), b.session(t)
	other := put("new", "South", "null").under("k")
	other.ref = "bowl"
	a.begin(t)
	a.want(t, put("new", "North", "null"), "accepted")
	second := c.start(t, other)
	second.waits(t)
	a.commit(t)
	second.answer(t).must(t, "refused exists")
}

func missingIsNotEqual(t testing.TB, b *bed) {
	a := b.session(t)
	unsaid := goal("final", 2)
	unsaid.saw = ""
	a.want(t, unsaid, "refused version_missing")
	unsaid.saw = "{}"
	a.want(t, unsaid, "refused version_missing")
	unsaid.saw = `{"play": null}`
	a.want(t, unsaid, "conflict version_moved")
	edit := put("final", "North", "1")
	edit.saw = `{"rows": {}}`
	a.want(t, edit, "refused version_missing")
	a.want(t, put("final", "North", "null"), "conflict version_moved")
	edit.saw = `{"rows": {"fixture/final/schedule": 1, "fixture/gone/schedule": 5}}`
	if got := a.want(t, edit, "conflict version_moved"); !strings.Contains(got.body, "fixture/gone/schedule") {
		t.Errorf("the row that is gone is not named: %s", got.body)
	}
}

// The two-subject command gets its xid with its first lock, then waits for its second, behind a command that has none
// yet; so it has the older xid and the later number.
func outboxOrder(t testing.TB, b *bed) {
	b.patient(t)
	holder, one, two := b.session(t), b.session(t), b.session(t)
	low := value[string](t, holder.Conn, "select ref from road.subject where ref in ('final', 'semi') order by subject_id limit 1")
	high := map[string]string{"final": "semi", "semi": "final"}[low]

	holder.begin(t)
	exec(t, holder.Conn, "select from road.subject where ref = '"+high+"' for no key update")
	plain := one.start(t, note(high).under("plain"))
	plain.waits(t)
	pair := two.start(t, touch(low, holder.subject(t, high)).under("pair"))
	pair.waits(t)
	holder.rollback(t)
	plain.answer(t).must(t, "accepted")
	pair.answer(t).must(t, "accepted")

	// Proof that it could go wrong: command rows are written outside the savepoint, so their xmin is the transaction's own.
	if wrong := value[bool](t, one.Conn, `
		select pair.xmin::text::bigint < plain.xmin::text::bigint and l.seq > plain.seq
		from road.command pair, road.command plain, road.log l
		where pair.command_id = 'pair' and plain.command_id = 'plain' and l.command_id = 'pair' and l.subject_id = plain.subject_id`); !wrong {
		t.Error("the case was not made: ordered by the transactions' own xids the notes would be in order as well")
	}
	r := newReader(t, b, 1)
	r.readAll(t)
	r.complete(t)
}

func outboxOrderInOldTransaction(t testing.TB, b *bed) {
	afterOlderXid(t, b, note("final"), "final")
}

func outboxOrderAfterFurther(t testing.TB, b *bed) {
	afterOlderXid(t, b, touch("final", b.session(t).subject(t, "semi")), "semi")
}

// afterOlderXid sends a command, then one on the fixture in a transaction that had its xid before.
func afterOlderXid(t testing.TB, b *bed, first command, fixture string) {
	t.Helper()
	old, other := b.session(t), b.session(t)
	old.begin(t)
	exec(t, old.Conn, "select pg_current_xact_id()")
	other.want(t, first, "accepted")
	old.want(t, note(fixture), "accepted")
	old.commit(t)
	r := newReader(t, b, 1)
	r.readAll(t)
	r.complete(t)
}

func tokenChecked(t testing.TB, b *bed) {
	a := b.session(t)
	wrong := note("final")
	wrong.token = make([]byte, 32)
	a.want(t, wrong, "refused sender_unknown")
	exec(t, a.Conn, "select road.sender_disable('rival')")
	a.want(t, note("final").by("rival", ""), "refused sender_unknown")
}

func firstWaiterHoldsNoXid(t testing.TB, b *bed) {
	a, c, watch := b.session(t), b.session(t), b.session(t)
	a.begin(t)
	a.want(t, note("final"), "accepted")
	second := c.start(t, note("final"))
	second.waits(t)
	if xid := value[*string](t, watch.Conn, "select backend_xid::text from pg_stat_activity where pid = $1", int32(c.PgConn().PID())); xid != nil {
		t.Errorf("waiting for its first lock it holds xid %s, and so holds back every reader", *xid)
	}
	a.commit(t)
	second.answer(t).must(t, "accepted")
}

func sameSubjectTwice(t testing.TB, b *bed) {
	a := b.session(t)
	final, semi := a.subject(t, "final"), a.subject(t, "semi")
	if got := a.want(t, touch("final", semi, final, semi), "accepted"); got.seq != 3 {
		t.Errorf("seq is %d, want 3", got.seq)
	}
}
