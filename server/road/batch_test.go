package road

import (
	"fmt"
	"testing"

	"umpire/tests/harness"
)

func (w *world) lines(from, n int) []Command {
	commands := make([]Command, n)
	for i := range commands {
		commands[i] = w.line(fmt.Sprint("b", from+i), "x")
	}
	return commands
}

func (w *world) expectAll(t *testing.T, answers []Answer, outcome Outcome, reason string) {
	t.Helper()
	for _, a := range answers {
		w.expect(t, a, outcome, reason)
	}
}

// One transaction and one round trip for all of a batch; sent again, all are duplicates.
func TestExecuteManyIsOneTransaction(t *testing.T) {
	w := newWorld(t)
	var wire wire
	r := w.open(t, func(o *Options) { o.configure = wire.configure(ImportPool) })
	if _, err := r.ExecuteMany(t.Context(), w.lines(0, 1)); err != nil { // opens the connection
		t.Fatal(err)
	}
	before := wire.trips.Load()
	answers, err := r.ExecuteMany(t.Context(), w.lines(1, MaxBatch))
	if err != nil || len(answers) != MaxBatch {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	w.expectAll(t, answers, Accepted, "")
	if trips := wire.trips.Load() - before; trips != 1 {
		t.Errorf("%d round trips, want 1", trips)
	}
	if n := w.count(t, `select count(distinct xmin::text)::int from road.command where command_id ~ '^b([1-9]|1[0-9]|2[0-5])$'`); n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
	answers, err = r.ExecuteMany(t.Context(), w.lines(1, MaxBatch))
	if err != nil {
		t.Fatal(err)
	}
	w.expectAll(t, answers, Duplicate, "")
}

func TestExecuteManyHasBounds(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, n := range []int{0, MaxBatch + 1} {
		if _, err := r.ExecuteMany(t.Context(), w.lines(0, n)); err == nil {
			t.Errorf("%d commands were taken", n)
		}
	}
}

// C-132, IM-01: one command breaks; the others are sent one by one and lose nothing.
func TestExecuteManyFallsBackToSingles(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	w.exec(t, `create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$
		begin return jsonb_build_object('note', jsonb_build_object('n', 1 / (cmd.command_id <> 'b2')::integer)); end $$`)
	answers, err := r.ExecuteMany(t.Context(), w.lines(0, 5))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if i == 2 {
			w.expect(t, a, TryAgain, "internal_error")
		} else {
			w.expect(t, a, Accepted, "")
		}
	}
	if n := w.count(t, `select count(*)::int from road.log where command_id like 'b%'`); n != 4 {
		t.Errorf("%d log rows, want 4", n)
	}
}

// The answers are lost after the commit: the singles find what was saved, and nothing is applied twice.
func TestExecuteManyAnswerLost(t *testing.T) {
	w := newWorld(t)
	var wire wire
	r := w.open(t, func(o *Options) { o.configure = wire.configure(ImportPool) })
	wire.cut.Store(true)
	answers, err := r.ExecuteMany(t.Context(), w.lines(0, 5))
	if err != nil {
		t.Fatal(err)
	}
	if wire.cut.Load() {
		t.Fatal("nothing was cut")
	}
	w.expectAll(t, answers, Duplicate, "")
	if n := w.count(t, `select count(*)::int from road.log where command_id like 'b%'`); n != 5 {
		t.Errorf("%d log rows, want 5", n)
	}
}

// At COMMIT a deferred constraint says no: none of the batch's answers is given.
func TestExecuteManyIsTrustedAfterCommitOnly(t *testing.T) {
	w := newWorldIn(t, harness.New(t))
	r := w.open(t, nil)
	w.onInsert(t, true, `if new.command_id = 'b3' then raise exception 'late'; end if;`)
	answers, err := r.ExecuteMany(t.Context(), w.lines(0, 5))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if i == 3 {
			w.expect(t, a, TryAgain, "internal_error")
		} else {
			w.expect(t, a, Accepted, "")
		}
	}
}
