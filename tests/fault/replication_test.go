package fault_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

const inSyncWait = `select a.pid from pg_stat_activity a where a.wait_event = 'SyncRep' and a.application_name like 'umpire:command%'`

// PG-14: the standby is frozen. Whether the wait for it is cancelled by somebody or given up by the server, or the session is
// ended: it is not known whether the command survives, and nobody is told that it was accepted. The resend finds it.
func TestPG14FrozenStandby(t *testing.T) {
	t.Parallel() // it mostly waits
	b := newBed(t, harness.NewOwn(t, postgres.Options{}))
	s := newStandby(t, b)
	u := b.serve(t)
	b.waitForStandby(t)
	if a := b.post(t.Context(), u, line("both", "x")); a.brief() != "accepted" {
		t.Fatalf("with the standby: %v", a)
	}
	if n := valueAt[int](t, s.url, `select count(*)::int from road.command where command_id = 'both'`); n != 1 {
		// The standby has it on disk (synchronous_commit = on), not necessarily applied.
		until(t, "the standby applies it", func() (bool, error) {
			return valueAt[int](t, s.url, `select count(*)::int from road.command where command_id = 'both'`) == 1, nil
		})
	}

	for _, c := range []struct{ name, sql string }{
		{"cancelled", `select pg_cancel_backend((` + inSyncWait + `))`},
		{"terminated", `select pg_terminate_backend((` + inSyncWait + `))`},
		{"given-up", ""}, // the call's own deadline, six seconds
	} {
		t.Run(c.name, func(t *testing.T) {
			thaw := s.freeze(t)
			got := b.start(t.Context(), u, line(c.name, "x"))
			b.WaitFor(t, `select exists (`+inSyncWait+`)`)
			// As long as it waits, nobody sees it, and a copy waits too.
			if n := value[int](t, b, `select count(*)::int from road.command where command_id = $1`, c.name); n != 0 {
				t.Error("seen by others before the standby has it")
			}
			if c.sql != "" {
				b.exec(t, c.sql)
			}
			if a := receive(t, got, "the answer"); a.brief() != "try_again commit_unknown" {
				t.Errorf("with the standby frozen: %v", a)
			}
			thaw()
			if a, before := b.settle(t, u, line(c.name, "x")); a.brief() != "duplicate" || a.First.Outcome != "accepted" {
				t.Errorf("sent again: %v after %v", a, before)
			}
			if a, _ := b.settle(t, u, line(c.name, "y")); a.brief() != "refused key_reused" {
				t.Errorf("another body: %v", a)
			}
			b.once(t, c.name)
			until(t, "the standby has it too", func() (bool, error) {
				return valueAt[int](t, s.url, `select count(*)::int from road.command where command_id = $1`, c.name) == 1, nil
			})
		})
	}
}

// C-132: failover. The primary is killed while commands are under way, the address leads to the standby, first as it is (read only)
// and then promoted. What was accepted is there, what was not is decided by sending it again, and the server goes on
// without a restart.
func TestC132Failover(t *testing.T) {
	b := newBed(t, harness.NewOwn(t, postgres.Options{}), "f1", "f2", "f3")
	s := newStandby(t, b)
	u := b.serve(t)
	b.waitForStandby(t)
	for i := range 10 {
		if a := b.post(t.Context(), u, line(fmt.Sprint("old-", i), "x")); a.brief() != "accepted" {
			t.Fatal(a)
		}
	}

	// Three commands are under way, one at each point, on fixtures of their own.
	_ = b.closeGates(t)
	underWay := map[string]<-chan answer{}
	for i, p := range []string{"handler", "row", "commit"} {
		underWay[p+"-under-way"] = b.start(t.Context(), u, line(p+"-under-way", "x").on(fmt.Sprint("f", i+1)))
	}
	b.WaitFor(t, `select count(*) = 3 from pg_locks where locktype = 'advisory' and objid = $1 and not granted`, gateLock)
	if err := b.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	for key, got := range underWay {
		if a := receive(t, got, key); a.brief() != "try_again commit_unknown" {
			t.Errorf("%s: %v", key, a)
		}
	}
	u.says(t, "/ready", http.StatusServiceUnavailable)
	if a := b.post(t.Context(), u, line("new", "x")); a.Outcome != "try_again" || !slices.Contains([]string{"not_sent", "commit_unknown"}, a.Reason.Code) {
		t.Errorf("without a primary: %v", a)
	}

	b.link.leadTo(t, s.url)
	until(t, "commands reach the standby", func() (bool, error) {
		a := b.post(t.Context(), u, line("new", "x"))
		if a.Outcome != "try_again" {
			t.Fatalf("on a standby: %v", a)
		}
		return a.Reason.Code == "read_only", fmt.Errorf("%v", a)
	})
	u.says(t, "/ready", http.StatusServiceUnavailable)

	if !valueAt[bool](t, s.url, `select pg_promote()`) {
		t.Fatal("the standby was not promoted")
	}
	execAt(t, s.url, `alter system reset synchronous_standby_names`)
	if a, before := b.settle(t, u, line("new", "x")); a.brief() != "accepted" {
		t.Errorf("on the new primary: %v after %v", a, before)
	}
	u.ready(t)
	for key := range underWay {
		ref := map[string]string{"handler-under-way": "f1", "row-under-way": "f2", "commit-under-way": "f3"}[key]
		if a, before := b.settle(t, u, line(key, "x").on(ref)); a.brief() != "accepted" {
			t.Errorf("%s: %v after %v", key, a, before)
		}
		onceAt(t, s.url, key)
	}
	for i := range 10 {
		key := fmt.Sprint("old-", i)
		if a := b.post(t.Context(), u, line(key, "x")); a.brief() != "duplicate" {
			t.Errorf("%s: %v", key, a)
		}
		if a := b.post(t.Context(), u, line(key, "y")); a.brief() != "refused key_reused" {
			t.Errorf("another body under %s: %v", key, a)
		}
		onceAt(t, s.url, key)
	}
	if broken := valueAt[*string](t, s.url, `select string_agg(name || ': ' || detail, '; ') from road.invariants()`); broken != nil {
		t.Errorf("invariants: %s", *broken)
	}
}

// PG-14: the wait for the standby was cancelled and the standby never got the command. Sent again, it must not be told
// duplicate before the standby has it either: that sender would forget a command which the failover loses.
func TestPG14DuplicateWaitsForTheStandby(t *testing.T) {
	t.Parallel() // it mostly waits
	b := newBed(t, harness.NewOwn(t, postgres.Options{}))
	s := newStandby(t, b)
	u := b.serve(t)
	b.waitForStandby(t)
	if a, _ := b.settle(t, u, line("both", "x")); a.brief() != "accepted" {
		t.Fatal(a)
	}
	s.link.loseAnswers(t, 0) // nothing gets to the standby any more
	got := b.start(t.Context(), u, line("k", "x"))
	b.WaitFor(t, `select exists (`+inSyncWait+`)`)
	b.exec(t, `select pg_cancel_backend((`+inSyncWait+`))`)
	if a := receive(t, got, "the answer"); a.brief() != "try_again commit_unknown" {
		t.Errorf("cancelled: %v", a)
	}
	// Given up by the server after six seconds, as the standby does not come back.
	told := b.post(t.Context(), u, line("k", "x"))
	if told.brief() != "try_again commit_unknown" {
		t.Errorf("sent again, with the standby cut off: %v", told)
	}

	if err := b.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	b.link.leadTo(t, s.url)
	if !valueAt[bool](t, s.url, `select pg_promote()`) {
		t.Fatal("the standby was not promoted")
	}
	execAt(t, s.url, `alter system reset synchronous_standby_names`)
	execAt(t, s.url, `select pg_reload_conf()`)
	if n := valueAt[int](t, s.url, `select count(*)::int from road.command where command_id = 'k'`); n != 0 {
		t.Error("the standby had it: the link was not cut")
	} else if told.Outcome == "duplicate" {
		t.Error("told duplicate, and lost in the failover")
	}
	if a, before := b.settle(t, u, line("k", "x")); a.brief() != "accepted" {
		t.Errorf("on the new primary: %v after %v", a, before)
	}
	onceAt(t, s.url, "k")
	if a, _ := b.settle(t, u, line("both", "x")); a.brief() != "duplicate" {
		t.Errorf("both: %v", a)
	}
}
