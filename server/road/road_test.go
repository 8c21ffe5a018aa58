package road

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// Those under way finish, new ones are told to go elsewhere.
func TestDrain(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	release := w.hold(t, "fixture", "final")
	inPostgres := start(t, r, w.line("k1", "x"))
	w.waiting(t, 1)
	inMemory := start(t, r, w.line("k2", "x"))
	until(t, "two under way", func() bool { return r.Stats().UnderWay == 2 })

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Drain(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("drained with two under way: %v", err)
	}
	w.expect(t, r.Execute(t.Context(), w.line("k3", "x")), TryAgain, "stopping")
	if err := r.Ready(t.Context()); err == nil {
		t.Error("ready while stopping")
	}
	release()
	if err := r.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.expect(t, receive(t, inPostgres), Accepted, "")
	w.expect(t, receive(t, inMemory), Accepted, "")
	if err := r.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.expect(t, r.Execute(t.Context(), w.line("k3", "x")), TryAgain, "stopping")
	if _, err := r.Read(t.Context(), "", "fixture", "final", "state", "", 0); err != nil {
		t.Errorf("reads go on: %v", err)
	}
}

func TestReadyNeedsADatabaseThatTakesChanges(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.exec(t, `alter database `+w.admin.Config().Database+` set default_transaction_read_only = on`)
	r.pools[WorkPool].resetNow()
	if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "read only") {
		t.Errorf("read only: %v", err)
	}
	w.exec(t, `alter database `+w.admin.Config().Database+` reset default_transaction_read_only`)
	r.pools[WorkPool].resetNow()
	if err := r.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// The work pool being busy is not being unready.
func TestReadyWhileAllAreAtWork(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Work.Patience = 10 * time.Millisecond })
	conn, err := r.Pool(WorkPool).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if err := r.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// Everything at once on one connection per pool (PG-06).
func TestEverythingOnPoolsOfOne(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) { o.Command.Patience, o.Read.Patience, o.Work.Patience = patience, patience, patience })
	w.exec(t, `create or replace function sport.event_create(cmd road.call) returns jsonb language plpgsql as $$ begin perform 1 / 0; return null; end $$`)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			switch i % 4 {
			case 0:
				if a := r.Execute(context.Background(), w.line(fmt.Sprint("k", i), "x")); a.Outcome != Accepted {
					t.Errorf("%s", a.Body)
				}
			case 1: // recorded on the work pool
				if a := r.Execute(context.Background(), w.command("event", "event", fmt.Sprint("e", i), "create", fmt.Sprint("k", i), `{"name":"x"}`)); a.Reason != "internal_error" {
					t.Errorf("%s", a.Body)
				}
			case 2:
				if _, err := r.Read(context.Background(), "", "fixture", "final", "commentary", "", 10); err != nil {
					t.Error(err)
				}
				if _, err := r.Authenticate(context.Background(), fmt.Sprint("token", i)); !errors.Is(err, ErrUnknownSender) {
					t.Error(err)
				}
			case 3:
				if err := r.Ready(context.Background()); err != nil {
					t.Error(err)
				}
				if _, err := r.LoadCatalogue(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := w.count(t, `select count(*) from road.command_failure`); n != 6 {
		t.Errorf("%d failures recorded", n)
	}
}
