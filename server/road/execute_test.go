package road

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// hold locks a subject's row in a session of its own; release lets it go.
func (w *world) hold(t *testing.T, kind, ref string) (release func()) {
	t.Helper()
	conn := w.Conn(t)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), `select from road.subject s where s.kind = $1 and s.ref = $2 for no key update of s`, kind, ref)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("holding %s %s: %v %v", kind, ref, tag, err)
	}
	return func() {
		t.Helper()
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// gateLock is an advisory lock at which the tests' triggers wait.
const gateLock = 4711

// holdGate takes gateLock; release lets it go.
func (w *world) holdGate(t *testing.T) (release func()) {
	t.Helper()
	w.exec(t, `select pg_advisory_lock($1)`, gateLock)
	return func() { t.Helper(); w.exec(t, `select pg_advisory_unlock($1)`, gateLock) }
}

var atGate = fmt.Sprintf(`perform pg_advisory_xact_lock(%d);`, gateLock)

// ID-01, C-012: the same command twice at once on two servers, and a third with another body under the same key.
func TestTwoAtOnce(t *testing.T) {
	w := newWorld(t)
	three := func(o *Options) { o.Command.MaxConns = 3 }
	roads := []*Road{w.open(t, three), w.open(t, three)}
	const rounds = 200
	for i := range rounds {
		key := fmt.Sprint("k", i)
		commands := []Command{w.line(key, "same"), w.line(key, "same"), w.line(key, "other")}
		answers := make([]Answer, 3)
		var all sync.WaitGroup
		for j, c := range commands {
			all.Go(func() { answers[j] = roads[j%2].Execute(context.Background(), c) })
		}
		all.Wait()
		applied := w.count(t, `select count(*) from road.log l where l.command_id = $1`, key)
		if applied != 1 {
			t.Fatalf("round %d: applied %d times", i, applied)
		}
		if answers[2].Outcome == Accepted {
			w.expect(t, answers[0], Refused, "key_reused")
			w.expect(t, answers[1], Refused, "key_reused")
			continue
		}
		w.expect(t, answers[2], Refused, "key_reused")
		first, twin := answers[0], answers[1]
		if first.Outcome != Accepted {
			first, twin = twin, first
		}
		w.expect(t, first, Accepted, "")
		w.expect(t, twin, Duplicate, "")
		if twin.First != Accepted || !bytes.Contains(twin.Body, first.Body) {
			t.Fatalf("round %d: %s is not in %s", i, first.Body, twin.Body)
		}
	}
	if n := w.count(t, `select count(*) from road.command k where k.command_id like 'k%'`); n != rounds {
		t.Fatalf("%d commands", n)
	}
}

// ID-08: another body under a used key leaves nothing and shows nothing.
func TestKeyReusedLeavesNothing(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	first := r.Execute(t.Context(), w.line("k", "first text"))
	w.expect(t, first, Accepted, "")
	const rows = `select (select count(*) from road.log) + (select count(*) from road.note) + (select count(*) from road.command) + (select count(*) from road.command_failure)`
	before := w.count(t, rows)
	a := r.Execute(t.Context(), w.line("k", "second text"))
	w.expect(t, a, Refused, "key_reused")
	if bytes.Contains(a.Body, []byte("text")) {
		t.Errorf("it shows the first: %s", a.Body)
	}
	if after := w.count(t, rows); after != before {
		t.Errorf("%d rows, then %d", before, after)
	}
	again := r.Execute(t.Context(), w.line("k", "first text"))
	w.expect(t, again, Duplicate, "")
	if !bytes.Contains(again.Body, first.Body) {
		t.Errorf("%s is not in %s", first.Body, again.Body)
	}
}

// C-055: a rule's no is kept, and its duplicate says so.
func TestDuplicateOfARefusal(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	goal := w.command("football", "fixture", "final", "goal", "g1", `{"side":"home","minute":1}`)
	goal.Saw = []byte(`{"play":null}`)
	w.expect(t, r.Execute(t.Context(), goal), Refused, "not_running")
	again := r.Execute(t.Context(), goal)
	w.expect(t, again, Duplicate, "")
	if again.First != Refused {
		t.Errorf("first was %s", again.First)
	}
}

// C-016: the row comes before the commit; a commit that fails is never accepted. PG-03: the next 50 find a sound session.
func TestCommitThatFails(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	w.onInsert(t, true, `raise exception using errcode = '23514', message = 'not so: ' || new.answer::text;`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "geheim")), TryAgain, "internal_error")
	if n := w.count(t, `select count(*) from road.command k where k.command_id = 'k'`); n != 0 {
		t.Fatal("it was saved")
	}
	w.noTrigger(t)
	w.expect(t, r.Execute(t.Context(), w.line("k", "geheim")), Accepted, "")
	for i := range 50 {
		w.expect(t, r.Execute(t.Context(), w.line(fmt.Sprint("n", i), "x")), Accepted, "")
	}
}

// PG-03: a commit that hangs ends with the call's own deadline; its connection does not go back.
func TestCommitThatHangs(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) {
		o.Command.LockTimeout, o.Command.StatementTimeout = 50*time.Millisecond, 100*time.Millisecond
	})
	w.onInsert(t, true, `perform pg_sleep(600);`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "commit_unknown")
	w.WaitFor(t, `select not exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')`)
	w.noTrigger(t)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
	for i := range 50 {
		w.expect(t, r.Execute(t.Context(), w.line(fmt.Sprint("n", i), "x")), Accepted, "")
	}
}

// C-076, PG-05: somebody else holds the subject.
func TestLockTimeout(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.LockTimeout = 50 * time.Millisecond })
	release := w.hold(t, "fixture", "final")
	a := r.Execute(t.Context(), w.line("k", "x"))
	w.expect(t, a, TryAgain, "lock_timeout")
	if a.RetryAfter <= 0 {
		t.Error("no delay")
	}
	release()
	if n := w.count(t, `select count(*) from road.command_failure`); n != 0 {
		t.Error("a time-out was recorded as a failure")
	}
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
}

func TestStatementTimeout(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) {
		o.Command.LockTimeout, o.Command.StatementTimeout = 50*time.Millisecond, 100*time.Millisecond
	})
	w.onInsert(t, false, `perform pg_sleep(600);`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "statement_timeout")
	w.noTrigger(t)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
}

// A command that locks several subjects waits 200 ms at a time and is tried again inside.
func TestSeveralSubjectsAreTriedAgain(t *testing.T) {
	w := newWorld(t)
	var calls calls
	r := w.open(t, func(o *Options) {
		o.Command.Patience = patience
		o.configure = calls.configure
	})
	put := w.command("event", "event", "cup", "fixture_put", "p", `{"fixture":"final","sport":"football","home":"A","away":"C"}`)
	put.Saw = []byte(`{"rows":{"fixture/final/schedule":1}}`)
	release := w.hold(t, "fixture", "final")
	answer := start(t, r, put)
	until(t, "a third call", func() bool { return calls.n.Load() >= 3 })
	if n := r.pools[CommandPool].Stat().AcquiredConns(); n > 1 {
		t.Errorf("%d connections", n)
	}
	release()
	w.expect(t, receive(t, answer), Accepted, "")

	short := w.open(t, func(o *Options) { o.Command.Patience = 100 * time.Millisecond })
	release = w.hold(t, "fixture", "final")
	put.Key, put.Saw = "p2", []byte(`{"rows":{"fixture/final/schedule":2}}`)
	w.expect(t, short.Execute(t.Context(), put), TryAgain, "lock_timeout")
	release()
}

// What a command has to lock changes while it waits: tried again inside, and judged by what is there then.
func TestLocksChanged(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.MaxConns = 2 })
	release := w.hold(t, "event", "cup")
	var answers []<-chan Answer
	for i := range 2 {
		put := w.command("event", "event", "cup", "fixture_put", fmt.Sprint("p", i), `{"fixture":"new","sport":"football","home":"A","away":"C"}`)
		put.Saw = []byte(`{"rows":{"fixture/new/schedule":null}}`)
		answers = append(answers, start(t, r, put))
	}
	w.waiting(t, 2)
	release()
	a, b := receive(t, answers[0]), receive(t, answers[1])
	if a.Outcome != Accepted {
		a, b = b, a
	}
	w.expect(t, a, Accepted, "")
	w.expect(t, b, Conflict, "version_moved")
}

// 40P01, 40001: tried again inside; when it goes on, told so.
func TestDeadlockIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.Patience = 300 * time.Millisecond })
	w.exec(t, `create sequence public.tries; grant usage on sequence public.tries to public`)
	for _, c := range []struct{ state, reason string }{{"40P01", "deadlock"}, {"40001", "serialization"}} {
		w.exec(t, `select setval('public.tries', 1, false)`)
		w.onInsert(t, false, `if nextval('public.tries') < 3 then raise exception using errcode = '`+c.state+`'; end if;`)
		w.expect(t, r.Execute(t.Context(), w.line("k"+c.state, "x")), Accepted, "")
		if n := w.count(t, `select last_value from public.tries`); n != 3 {
			t.Errorf("%s: %d tries", c.state, n)
		}
		w.noTrigger(t)
		w.onInsert(t, false, `raise exception using errcode = '`+c.state+`';`)
		w.expect(t, r.Execute(t.Context(), w.line("m"+c.state, "x")), TryAgain, c.reason)
		w.noTrigger(t)
	}
}

// C-057: the primary key is the last guard; a copy that gets past both look-ups is answered as a duplicate.
func TestPrimaryKeyIsTheLastGuard(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, c := range []struct {
		key, text string
		outcome   Outcome
		reason    string
	}{{"k1", "x", Duplicate, ""}, {"k2", "another", Refused, "key_reused"}} {
		release := w.holdGate(t)
		w.onInsert(t, false, `if current_setting('application_name') like 'umpire%' then `+atGate+` end if;`)
		answer := start(t, r, w.line(c.key, "x"))
		w.waiting(t, 1)
		// The other copy, which no lock held back, was refused.
		w.exec(t, `
			insert into road.command (sender, actor, command_id, subject_id, outcome, received_at, finished_at, expires_at, payload_hash, answer)
			select 'desk', '', $1, s.subject_id, 'refused', now(), now(), now() + interval '1 day',
				road.payload_hash('fixture', 'note', s.subject_id::text, jsonb_build_object('text', $2::text)),
				jsonb_build_object('outcome', 'refused', 'key', $1::text, 'subject', jsonb_build_object('id', s.subject_id))
			from road.subject s where s.kind = 'fixture' and s.ref = 'final'`, c.key, c.text)
		release()
		w.expect(t, receive(t, answer), c.outcome, c.reason)
		w.noTrigger(t)
	}
	if n := w.count(t, `select count(*) from road.log l where l.command_id in ('k1', 'k2')`); n != 0 {
		t.Errorf("%d log rows", n)
	}
}

// The session is ended before the commit: nothing was done, and it is said so. At the commit: unknown. A resend finds out.
func TestSessionEnded(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, c := range []struct {
		key      string
		atCommit bool
		reason   string
	}{{"k1", false, "session_ended"}, {"k2", true, "commit_unknown"}} {
		release := w.holdGate(t)
		w.onInsert(t, c.atCommit, atGate)
		answer := start(t, r, w.line(c.key, "x"))
		w.exec(t, `select pg_terminate_backend($1)`, w.waiting(t, 1))
		w.expect(t, receive(t, answer), TryAgain, c.reason)
		release()
		w.noTrigger(t)
		w.expect(t, r.Execute(t.Context(), w.line(c.key, "x")), Accepted, "")
	}
}

// PG-01: the answer is lost on its way. Unknown, and the resend finds the row.
func TestAnswerLost(t *testing.T) {
	w := newWorld(t)
	var wire wire
	r := w.open(t, func(o *Options) { o.configure = wire.configure(CommandPool) })
	for i := range 5 {
		c := w.line(fmt.Sprint("k", i), "x")
		wire.cut.Store(true)
		w.expect(t, r.Execute(t.Context(), c), TryAgain, "commit_unknown")
		if wire.cut.Load() {
			t.Fatal("nothing was cut")
		}
		w.expect(t, r.Execute(t.Context(), c), Duplicate, "")
	}
}

// PG-01: the client goes away; its command does not.
func TestClientGoesAway(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	release := w.hold(t, "fixture", "final")
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan Answer, 1)
	go func() { answer <- r.Execute(ctx, w.line("k", "x")) }()
	w.waiting(t, 1)
	cancel()
	release()
	w.expect(t, receive(t, answer), Accepted, "")
	w.expect(t, r.Execute(ctx, w.line("k2", "x")), Accepted, "")
}

// PG-14: the commit is done here, but the wait for the standby was cancelled.
func TestStandbyNotWaitedFor(t *testing.T) {
	w := newWorldIn(t, harness.NewOwn(t, postgres.Options{}))
	r := w.open(t, nil)
	w.exec(t, `alter system set synchronous_standby_names = 'nobody'`)
	w.exec(t, `select pg_reload_conf()`)
	w.WaitFor(t, `select current_setting('synchronous_standby_names') = 'nobody'`)
	answer := start(t, r, w.line("k", "x"))
	w.WaitFor(t, `select pg_cancel_backend(a.pid) from pg_stat_activity a where a.wait_event = 'SyncRep' and a.application_name like 'umpire:command%'`)
	w.expect(t, receive(t, answer), TryAgain, "commit_unknown")
	// Its duplicate waits as well: told at once, it might be lost with the primary.
	again := start(t, r, w.line("k", "x"))
	w.WaitFor(t, `select exists (select from pg_stat_activity a where a.wait_event = 'SyncRep' and a.application_name like 'umpire:command%')`)
	w.exec(t, `alter system reset synchronous_standby_names`)
	w.exec(t, `select pg_reload_conf()`)
	w.WaitFor(t, `select current_setting('synchronous_standby_names') = ''`)
	w.expect(t, receive(t, again), Duplicate, "")
	w.expect(t, r.Execute(t.Context(), w.line("k2", "x")), Accepted, "")
}

// C-051: a handler's bug is recorded without any value of the input, and asks for more patience every time.
func TestInternalErrorIsRecorded(t *testing.T) {
	w := newWorld(t)
	var logged bytes.Buffer
	r := w.open(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&logged, nil)) })
	var last Answer
	for i, body := range []string{
		`perform 1 / 0;`,
		`raise exception 'what is %', cmd.input using detail = cmd.input::text, hint = cmd.input::text;`,
		`perform (cmd.input ->> 'text')::integer;`,
		`perform ((cmd.input ->> 'text') || '"')::jsonb;`,
		`execute format('select %L from nowhere', cmd.input ->> 'text');`,
	} {
		w.exec(t, `create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$ begin `+body+` return null; end $$`)
		a := r.Execute(t.Context(), w.line("k", "geheim"))
		w.expect(t, a, TryAgain, "internal_error")
		if a.RetryAfter <= last.RetryAfter {
			t.Errorf("attempt %d: %s after %s", i+1, a.RetryAfter, last.RetryAfter)
		}
		last = a
		var attempts int
		var all, where string
		err := w.admin.QueryRow(t.Context(), `select f.attempts, f::text, f.last_error from road.command_failure f where f.command_id = 'k'`).Scan(&attempts, &all, &where)
		if err != nil || attempts != i+1 {
			t.Fatalf("attempts %d: %v", attempts, err)
		}
		if strings.Contains(all, "geheim") || !strings.Contains(where, "sport.fixture_note line 1") {
			t.Errorf("recorded: %s", all)
		}
		if bytes.Contains(a.Body, []byte("geheim")) || bytes.Contains(a.Body, []byte("SELECT")) {
			t.Errorf("answered: %s", a.Body)
		}
	}
	if strings.Contains(logged.String(), "geheim") || !strings.Contains(logged.String(), "sqlstate=22012") {
		t.Errorf("logged: %s", logged.String())
	}
	// Recording that fails changes nothing for the sender.
	w.exec(t, `alter table road.command_failure rename to gone`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "geheim")), TryAgain, "internal_error")
	w.exec(t, `alter table road.gone rename to command_failure`)
}

const noteHandler = `create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$ begin
	return jsonb_build_object('note', cmd.input, 'result', jsonb_build_object('code', %d)); end $$`

// PG-10: functions are replaced under load, without a restart: handlers, the road's own function, its signature.
func TestCodeReplacedUnderLoad(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.MaxConns = 4 })
	var definition string
	if err := w.admin.QueryRow(t.Context(), `select pg_get_functiondef('road.execute'::regproc)`).Scan(&definition); err != nil {
		t.Fatal(err)
	}
	const signature = `road.execute(text, text, text, text, text, text, jsonb, jsonb, text, timestamptz, bytea)`
	replace := func(t *testing.T, definition string) {
		t.Helper()
		err := pgx.BeginFunc(t.Context(), w.admin, func(tx pgx.Tx) error {
			for _, sql := range []string{`drop function ` + signature, definition,
				`alter function ` + signature + ` owner to umpire_owner`, `grant execute on function ` + signature + ` to umpire_app`} {
				if _, err := tx.Exec(t.Context(), sql); err != nil {
					return fmt.Errorf("%.60s: %w", sql, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	asJSON := strings.Replace(definition, "OUT answer jsonb", "OUT answer json", 1)
	if asJSON == definition {
		t.Fatal("the definition looks different")
	}

	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for g := range 6 {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				c := w.line(fmt.Sprintf("g%d-%d", g, i), "x")
				a := r.Execute(ctx, c)
				for a.Outcome == TryAgain && ctx.Err() == nil { // the same key works
					mu.Lock()
					seen[a.Reason]++
					mu.Unlock()
					a = r.Execute(ctx, c)
				}
				mu.Lock()
				seen[string(a.Outcome)]++
				mu.Unlock()
			}
		})
	}
	for i := range 20 {
		w.exec(t, fmt.Sprintf(noteHandler, i))
		replace(t, asJSON)
		a := r.Execute(t.Context(), w.line(fmt.Sprint("now", i), "x"))
		w.expect(t, a, Accepted, "")
		if !bytes.Contains(bytes.ReplaceAll(a.Body, []byte(" "), nil), fmt.Appendf(nil, `"code":%d}`, i)) {
			t.Errorf("round %d is answered by older code: %s", i, a.Body)
		}
		replace(t, definition)
	}
	stop()
	all.Wait()
	t.Logf("%v, %d resets", seen, r.Stats().Pools[CommandPool].Resets)
	for outcome := range seen {
		switch outcome {
		case "accepted", "code_replaced", "try_again":
		default:
			t.Errorf("%d times %s", seen[outcome], outcome)
		}
	}
	if r.Stats().Pools[CommandPool].Resets == 0 {
		t.Error("the pool was never reset")
	}
	w.expect(t, r.Execute(t.Context(), w.line("last", "x")), Accepted, "")
}

// PG-10: the function is gone for a while.
func TestCodeGone(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	w.exec(t, `alter function road.execute rename to gone`)
	for range 3 {
		w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "code_replaced")
	}
	w.exec(t, `alter function road.gone rename to execute`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
	// A handler that calls what is not there is code being replaced, or a bug: recorded in case it stays.
	w.exec(t, `create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$ begin return sport.nowhere(cmd); end $$`)
	w.expect(t, r.Execute(t.Context(), w.line("k2", "x")), TryAgain, "code_replaced")
	if n := w.count(t, `select attempts from road.command_failure f where f.command_id = 'k2' and f.sqlstate = '42883'`); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

// 25006: the primary was demoted; every pool gives up its connections.
func TestDemotedPrimary(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	w.onInsert(t, false, `set local transaction_read_only = on; insert into road.workflow values ('a', 'a');`)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "read_only")
	for name, s := range r.Stats().Pools {
		if s.Resets != 1 {
			t.Errorf("pool %s: %d resets", name, s.Resets)
		}
	}
	w.noTrigger(t)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
}

// PG-07: one subject is locked; its extra commands are busy, another subject's go through on the same small pool.
func TestHotSubjectLeavesTheOthersAlone(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) {
		o.Command.MaxConns, o.Command.LockTimeout, o.Command.StatementTimeout, o.Command.Patience = 3, patience, 2*patience, patience
		o.Admission.QueuePerSubject = 10
	})
	release := w.hold(t, "fixture", "final")
	answers := make(chan Answer, 40)
	for i := range 40 {
		go func() { answers <- r.Execute(context.Background(), w.line(fmt.Sprint("hot", i), "x")) }()
	}
	for range 28 { // 2 in Postgres, 10 in memory
		w.expect(t, receive(t, answers), TryAgain, "busy")
	}
	w.waiting(t, 2)
	for i := range 20 {
		w.expect(t, r.Execute(t.Context(), w.command("event", "event", fmt.Sprint("other", i), "create", fmt.Sprint("o", i), `{"name":"x"}`)), Accepted, "")
	}
	release()
	for range 12 {
		w.expect(t, receive(t, answers), Accepted, "")
	}
	if s := r.Stats(); s.Subjects != 0 || s.Inside != 0 || s.Waiting != 0 || s.UnderWay != 0 {
		t.Errorf("left over: %+v", s)
	}
}

// PG-06: a pool of one that is in use: the wait for a connection ends in busy.
func TestPoolInUse(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.Patience, o.Read.Patience = 20*time.Millisecond, 20*time.Millisecond })
	for _, name := range []PoolName{CommandPool, ReadPool} {
		conn, err := r.Pool(name).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "busy")
	if _, err := r.Read(t.Context(), "", "fixture", "final", "state", "", 0); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("read: %v", err)
	}
	if s := r.Stats(); s.Subjects != 0 || s.UnderWay != 0 {
		t.Errorf("left over: %+v", s)
	}
}

// C-091: the catalogue says which pool a command runs on.
func TestPoolOfTheCatalogue(t *testing.T) {
	w := newWorld(t)
	w.exec(t, `update road.catalogue_command set pool = 'import' where workflow = 'fixture' and code = 'note'`)
	var name string
	var mu sync.Mutex
	r := w.open(t, func(o *Options) {
		o.configure = func(pool PoolName, c *pgxpool.Config) {
			c.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) {
				mu.Lock()
				name = string(pool)
				mu.Unlock()
				return true, nil
			}
		}
	})
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
	if name != "import" {
		t.Errorf("ran on %s", name)
	}
	w.expect(t, r.Execute(t.Context(), w.command("event", "event", "e9", "create", "e9", `{"name":"x"}`)), Accepted, "")
	if name != "command" {
		t.Errorf("ran on %s", name)
	}
	w.expect(t, r.Execute(t.Context(), w.command("no", "fixture", "final", "such", "n", `{}`)), Refused, "unknown_command")
}

func TestAcceptedIsTold(t *testing.T) {
	w := newWorld(t)
	var told []string
	r := w.open(t, func(o *Options) { o.Accepted = func(kind, ref string) { told = append(told, kind+"/"+ref) } })
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Duplicate, "")
	w.expect(t, r.Execute(t.Context(), w.line("k", "y")), Refused, "key_reused")
	if len(told) != 1 || told[0] != "fixture/final" {
		t.Errorf("told %v", told)
	}
}

// What a command may leave out, and what it may say: no token, an actor, a time, the subject's uuid.
func TestEveryMemberArrives(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	var id string
	if err := w.admin.QueryRow(t.Context(), `select s.subject_id::text from road.subject s where s.ref = 'final'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	sent := time.Date(2022, 12, 18, 15, 0, 0, 123000, time.UTC)
	c := w.line("k", "x")
	c.TokenSHA256, c.Actor, c.SentAt, c.Ref = nil, "ann", &sent, id
	w.expect(t, r.Execute(t.Context(), c), Accepted, "")
	if n := w.count(t, `select count(*) from road.log l where l.command_id = 'k' and l.actor = 'ann' and l.sent_at = $1`, sent); n != 1 {
		t.Error("not as it was sent")
	}
	c.TokenSHA256, c.Key = make([]byte, 32), "k2"
	w.expect(t, r.Execute(t.Context(), c), Refused, "sender_unknown")
}

// ID-03: a sender that resends its command while the subject is held leaves the other scorer's place alone.
func TestCopiesLeaveRoom(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) {
		o.Command.MaxConns, o.Command.LockTimeout, o.Command.StatementTimeout, o.Command.Patience = 3, patience, 2*patience, patience
	})
	release := w.hold(t, "fixture", "final")
	copies := make(chan Answer, 3)
	for range 3 {
		go func() { copies <- r.Execute(context.Background(), w.line("same", "x")) }()
	}
	until(t, "two copies in memory", func() bool { return r.Stats().Waiting == 2 })
	other := start(t, r, w.line("other", "y"))
	w.waiting(t, 2)
	release()
	w.expect(t, receive(t, other), Accepted, "")
	got := map[Outcome]int{}
	for range 3 {
		got[receive(t, copies).Outcome]++
	}
	if got[Accepted] != 1 || got[Duplicate] != 2 {
		t.Errorf("%v", got)
	}
}
