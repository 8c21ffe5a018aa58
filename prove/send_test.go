package prove

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"umpire/client"
)

// answering is a server that gives one answer to everything, and how often it was asked.
func answering(t *testing.T, status int, body string) (string, *atomic.Int64) {
	t.Helper()
	asked := new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func wired(t *testing.T, patience time.Duration, urls ...string) *run {
	t.Helper()
	w, err := newWire(urls)
	if err != nil {
		t.Fatal(err)
	}
	return &run{Options: Options{Patience: patience}, wire: w, began: time.Now(), clients: map[string]*client.Client{"anna": w.client("token")}}
}

func aNote() Command {
	c := command("fixture", "note", "fixture", "final", map[string]any{"text": "x"}, nil)
	c.Sender, c.Key = "anna", "k"
	return c
}

// Attempts go round the servers; what comes back is kept as it came.
func TestAttemptsGoRound(t *testing.T) {
	const body = `{"outcome": "accepted", "key": "k", "seq": 3, "result": {"new": 1.0}}`
	one, askedOne := answering(t, http.StatusOK, body)
	two, askedTwo := answering(t, http.StatusOK, body)
	r := wired(t, 10*time.Second, one, two)
	f := NewFamily("p", 0)
	for range 4 {
		r.once(t.Context(), 0, f, aNote())
	}
	if askedOne.Load() != 2 || askedTwo.Load() != 2 {
		t.Errorf("the servers were asked %d and %d times, not twice each", askedOne.Load(), askedTwo.Load())
	}
	for _, op := range r.ops {
		if string(op.Raw) != body || op.Answer.Seq != 3 || op.Attempts != 1 || op.Return <= op.Call {
			t.Errorf("recorded %+v", op)
		}
	}
	if r.wire.attempts["accepted"] != 4 || r.stats().Outcomes["accepted"] != 4 {
		t.Errorf("counted %v", r.wire.attempts)
	}
}

// A status 500 is a fault, and a command that is never decided is recorded as such.
func TestFaultsAndSilenceAreKept(t *testing.T) {
	url, _ := answering(t, http.StatusInternalServerError, `{"outcome": "try_again", "key": "k", "reason": {"code": "internal_error", "message": "x"}}`)
	r := wired(t, 50*time.Millisecond, url)
	r.once(t.Context(), 0, NewFamily("p", 0), aNote())
	if len(r.ops) != 1 || r.ops[0].Answer != nil || r.ops[0].Attempts == 0 {
		t.Fatalf("recorded %+v", r.ops)
	}
	if len(r.wire.faults) != r.ops[0].Attempts || !strings.Contains(r.wire.faults[0], "500 Internal Server Error") || r.wire.attempts["try_again internal_error"] == 0 {
		t.Errorf("faults %v, attempts %v", r.wire.faults, r.wire.attempts)
	}
	if r.stats().Outcomes["no answer"] != 1 {
		t.Errorf("counted %v", r.stats().Outcomes)
	}
}

// One server is away: the other one answers, and the command counts as tried twice.
func TestAServerThatIsAwayIsPassedBy(t *testing.T) {
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	here, _ := answering(t, http.StatusOK, `{"outcome": "accepted", "key": "k", "seq": 1}`)
	r := wired(t, 10*time.Second, here, away.URL) // the second is asked first
	r.once(t.Context(), 0, NewFamily("p", 0), aNote())
	if op := r.ops[0]; op.Answer == nil || op.Attempts != 2 || r.wire.attempts["no answer"] != 1 {
		t.Errorf("recorded %+v, attempts %v", op, r.wire.attempts)
	}
}

func TestGetTellsNotFoundFromNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		found  bool
		fails  bool
	}{
		"there":       {http.StatusOK, `{"seq": 1}`, true, false},
		"not there":   {http.StatusNotFound, `{}`, false, false},
		"unavailable": {http.StatusServiceUnavailable, `{}`, false, true},
		"not JSON":    {http.StatusOK, `<html>`, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := answering(t, c.status, c.body)
			r := wired(t, time.Second, url)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			var v View
			found, err := r.wire.get(ctx, "token", "/subjects/fixture/final", &v)
			if found != c.found || (err != nil) != c.fails {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, urls := range [][]string{nil, {"somewhere"}, {"http://127.0.0.1:1", "::"}} {
		if _, err := newWire(urls); err == nil {
			t.Errorf("%v was taken", urls)
		}
	}
}
