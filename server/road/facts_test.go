package road

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// official is a fact about the fixture final, and the command that follows from it.
func official(seq int, text string) Fact {
	return Fact{
		Found:    json.RawMessage(fmt.Sprintf(`{"fixture": "semi", "official_at": %d}`, seq)),
		Workflow: "fixture", Kind: "fixture", Ref: "final", Code: "note", Input: json.RawMessage(`{"text":"` + text + `"}`),
	}
}

// applied counts what the system did.
func (w *world) applied(t *testing.T) int {
	t.Helper()
	return w.count(t, `select count(*) from road.log where sender = 'system'`)
}

// C-004, C-012: two processes find the same fact at the same time, again and again: one is accepted, the other is a duplicate.
func TestC004TwoFindTheSameFact(t *testing.T) {
	w := newWorld(t)
	roads := []*Road{w.open(t, nil), w.open(t, nil)}
	const facts = 100
	for i := range facts {
		answers := make([]Answer, 2)
		var all sync.WaitGroup
		for j, r := range roads {
			all.Go(func() { answers[j] = r.ExecuteFact(context.Background(), official(i, "x")) })
		}
		all.Wait()
		first, twin := answers[0], answers[1]
		if first.Outcome != Accepted {
			first, twin = twin, first
		}
		w.expect(t, first, Accepted, "")
		w.expect(t, twin, Duplicate, "")
	}
	if n := w.applied(t); n != facts {
		t.Errorf("%d facts were applied %d times", facts, n)
	}
}

// C-132: the process dies, at each end of its command, and the next one finds the fact again.
func TestC132FactIsFoundAgainAfterACrash(t *testing.T) {
	w := newWorld(t)
	var wire wire
	dying := w.open(t, func(o *Options) { o.configure = wire.configure(CommandPool) })
	next := w.open(t, nil)

	release := w.hold(t, "fixture", "final")
	answer := make(chan Answer, 1)
	go func() { answer <- dying.ExecuteFact(context.Background(), official(1, "x")) }()
	pid := w.waiting(t, 1)
	w.exec(t, `select pg_terminate_backend($1)`, pid)
	w.expect(t, receive(t, answer), TryAgain, "session_ended")
	release()
	w.expect(t, next.ExecuteFact(t.Context(), official(1, "x")), Accepted, "")
	w.expect(t, dying.ExecuteFact(t.Context(), official(1, "x")), Duplicate, "")

	wire.cut.Store(true) // after COMMIT, before the answer
	w.expect(t, dying.ExecuteFact(t.Context(), official(2, "x")), TryAgain, "commit_unknown")
	w.expect(t, next.ExecuteFact(t.Context(), official(2, "x")), Duplicate, "")
	if n := w.applied(t); n != 2 {
		t.Errorf("2 facts were applied %d times", n)
	}
}

// ID-08: the same fact with another command behind it is loud: an error in the log, a row for the operator.
func TestID08FactWithAnotherCommand(t *testing.T) {
	w := newWorld(t)
	var log bytes.Buffer
	r := w.open(t, func(o *Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	w.expect(t, r.ExecuteFact(t.Context(), official(1, "geheim one")), Accepted, "")
	if log.String() != "" {
		t.Fatalf("%s", log.String())
	}
	for attempt := range 2 {
		w.expect(t, r.ExecuteFact(t.Context(), official(1, "geheim other")), Refused, "key_reused")
		if n := w.count(t, `select attempts from road.command_failure where sender = 'system' and command_id like 'fixture.note fixture/final %' and last_error like 'refused key_reused:%'`); n != attempt+1 {
			t.Errorf("%d recorded", n)
		}
	}
	if said := log.String(); strings.Count(said, `"level":"ERROR"`) != 2 || !strings.Contains(said, "key_reused") ||
		!strings.Contains(said, "official_at") || strings.Contains(said, "geheim") {
		t.Errorf("the log: %s", said)
	}
	if n := w.applied(t); n != 1 {
		t.Errorf("applied %d times", n)
	}
}

// A rule's no is kept with the fact; a conflict is not, and is sent again with what is there now.
func TestC014FactIsRefusedOrConflicts(t *testing.T) {
	w := newWorld(t)
	var log bytes.Buffer
	r := w.open(t, func(o *Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	refused := Fact{
		Found: json.RawMessage(`{"minute": 3}`), Workflow: "football", Kind: "fixture", Ref: "final", Code: "goal",
		Input: json.RawMessage(`{"side":"home","minute":3}`), Saw: json.RawMessage(`{"play":null}`),
	}
	w.expect(t, r.ExecuteFact(t.Context(), refused), Refused, "not_running")
	w.expect(t, r.ExecuteFact(t.Context(), refused), Duplicate, "")
	if n := w.count(t, `select count(*) from road.command_failure`); n != 0 || !strings.Contains(log.String(), `"level":"WARN"`) {
		t.Errorf("%d failures; %s", n, log.String())
	}
	moved := Fact{
		Found: json.RawMessage(`{"run": 7}`), Workflow: "event", Kind: "event", Ref: "cup", Code: "fixture_put",
		Input: json.RawMessage(`{"fixture":"final","sport":"football","home":"A","away":"C"}`), Saw: json.RawMessage(`{"rows":{"fixture/final/schedule":99}}`),
	}
	w.expect(t, r.ExecuteFact(t.Context(), moved), Conflict, "version_moved")
	moved.Saw = json.RawMessage(`{"rows":{"fixture/final/schedule":1}}`)
	w.expect(t, r.ExecuteFact(t.Context(), moved), Accepted, "")
	moved.Saw = json.RawMessage(`{"rows":{"fixture/final/schedule":99}}`)
	w.expect(t, r.ExecuteFact(t.Context(), moved), Duplicate, "")
	w.expect(t, r.ExecuteFact(t.Context(), Fact{Found: json.RawMessage(`{"a":1}`), Workflow: "fixture", Kind: "fixture", Ref: "nobody", Code: "note", Input: json.RawMessage(`{"text":"x"}`)}),
		Refused, "subject_not_found")
	if n := w.count(t, `select count(*) from road.command_failure where last_error like 'refused subject_not_found%'`); n != 1 {
		t.Errorf("%d failures", n)
	}
}

// What is no fact, or cannot be asked about, is no command.
func TestFactWithoutAKey(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	none := official(1, "x")
	none.Found = json.RawMessage(`{}`)
	w.expect(t, r.ExecuteFact(t.Context(), none), TryAgain, "bad_argument")
	conn, err := r.Pool(WorkPool).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.expect(t, r.ExecuteFact(ended, official(1, "x")), TryAgain, "not_sent")
	conn.Release()
	if n := w.applied(t); n != 0 {
		t.Errorf("applied %d times", n)
	}
}

// No token is the system's: not in the database, not over HTTP, whatever is sent in its place.
func TestNobodyIsTheSystem(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, hash := range [][]byte{{}, make([]byte, 32), tokenHash(""), tokenHash(SystemSender), w.sender.TokenSHA256} {
		c := w.line("k", "x")
		c.Sender, c.TokenSHA256 = SystemSender, hash
		w.expect(t, r.Execute(t.Context(), c), Refused, "sender_unknown")
	}
	for _, err := range []error{
		AddSender(t.Context(), w.admin, NewSender{Name: SystemSender, TokenSHA256: tokenHash("x")}),
		DisableSender(t.Context(), w.admin, SystemSender),
		func() error {
			_, err := RotateSender(t.Context(), w.admin, SystemSender, tokenHash("x"), 0)
			return err
		}(),
	} {
		var bad *BadArgumentError
		if err == nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), SystemSender) {
			t.Errorf("%v", err)
		}
	}
	w.expect(t, r.ExecuteFact(t.Context(), official(1, "x")), Accepted, "")
}
