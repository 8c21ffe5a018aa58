package fault_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"umpire/server/road"
	"umpire/tests/harness"
)

const lockFinal = `select from road.subject where ref = 'final' for no key update`

// senders sends n commands at once.
func (b *bed) senders(ctx context.Context, u *umpire, n int, with func(i int) command) <-chan answer {
	answers := make(chan answer, n)
	for i := range n {
		go func() { answers <- b.post(ctx, u, with(i)) }()
	}
	return answers
}

// PG-05: somebody holds the row in psql, 300 clients give up after a second. In Postgres there wait no more than admission
// lets through, before and after they gave up; the places come back, and what the clients sent is found under their keys.
func TestPG05ClientsGiveUp(t *testing.T) {
	t.Parallel() // it mostly waits
	b := newBed(t, harness.New(t))
	u := b.serve(t)
	release := b.hold(t, lockFinal)
	watching, stop := context.WithCancel(t.Context())
	most := make(chan int, 1)
	watch := b.Conn(t)
	go func() {
		highest := 0
		for watching.Err() == nil {
			var n int
			err := watch.QueryRow(t.Context(), `select count(*)::int from pg_stat_activity
				where datname = current_database() and application_name like 'umpire:%' and wait_event_type = 'Lock'`).Scan(&n)
			if err != nil {
				highest = -1
				break
			}
			highest = max(highest, n)
		}
		most <- highest
	}()

	impatient, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	answers := b.senders(impatient, u, 300, func(i int) command { return line(fmt.Sprint("g", i), "x") })
	told := map[string]int{}
	for range 300 {
		told[receive(t, answers, "an answer").brief()]++
	}
	b.inLockWait(t, 2) // the last two still wait: a command is not cut short
	release()
	for i := range 300 {
		key := fmt.Sprint("g", i)
		if a, before := b.settle(t, u, line(key, "x")); a.Decided().Outcome != "accepted" {
			t.Errorf("%s: %v after %v", key, a, before)
		}
	}
	stop()
	if n := receive(t, most, "the watch"); n != 2 {
		t.Errorf("%d backends waited for the lock at once, admission lets 2 through", n)
	}
	if told["lost"]+told["try_again busy"] != 300 || told["lost"] == 0 || told["try_again busy"] == 0 {
		t.Errorf("300 clients were told %v", told)
	}
	if n := value[int](t, b, `select count(*)::int from road.log where command_id like 'g%'`); n != 300 {
		t.Errorf("%d of 300 are there", n)
	}
	t.Logf("told %v", told)
}

// PG-07, C-133: one fixture stays locked. 200 senders of it are all told to try again, while twenty others are accepted; the
// same with commands that name the locked fixture as their second subject. All of it with the lock still held.
func TestPG07C133LockedFixture(t *testing.T) {
	t.Parallel() // it mostly waits
	var others []string
	for i := range 20 {
		others = append(others, fmt.Sprint("o", i))
	}
	b := newBed(t, harness.New(t), others...)
	u := b.serve(t)
	release := b.hold(t, lockFinal)
	for _, c := range []struct {
		name string
		hot  func(i int) command
		wait int // sessions that wait for a lock once the senders are there
	}{
		{"one-subject", func(i int) command { return line(fmt.Sprint("hot-", i), "x") }, 2},
		{"two-subjects", func(i int) command {
			return command{workflow: "event", kind: "event", ref: "cup", code: "fixture_put", key: fmt.Sprint("put-", i),
				input: `{"fixture": "final", "sport": "football", "home": "A", "away": "B", "venue": "V"}`, saw: `{"rows": {"fixture/final/schedule": 1}}`}
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			hot := b.senders(t.Context(), u, 200, c.hot)
			b.WaitFor(t, `select count(*) >= $1 from pg_stat_activity
				where datname = current_database() and application_name like 'umpire:command %' and wait_event_type = 'Lock'`, c.wait)
			quick := b.senders(t.Context(), u, 20, func(i int) command { return line(c.name+fmt.Sprint("-", i), "x").on(others[i]) })
			for range 20 {
				if a := receive(t, quick, "another fixture's answer"); a.brief() != "accepted" {
					t.Errorf("another fixture: %v", a)
				}
			}
			told := map[string]int{}
			for range 200 {
				a := receive(t, hot, "the locked fixture's answer")
				if told[a.brief()]++; a.Outcome != "try_again" || a.Reason.Code != "busy" && a.Reason.Code != "lock_timeout" {
					t.Errorf("the locked fixture: %v", a)
				}
			}
			t.Logf("told %v", told)
		})
	}
	release()
	if a, _ := b.settle(t, u, line("hot-0", "x")); a.brief() != "accepted" {
		t.Errorf("after the lock: %v", a)
	}
}

// PG-08: 10,000 commands on one locked subject, most turned away, some timed out, some whose callers went away; then some
// thousand different subjects. Every place comes back.
func TestPG08PlacesComeBack(t *testing.T) {
	b := newBed(t, harness.New(t))
	r, err := road.Open(t.Context(), road.Options{URL: b.URL(), Command: road.PoolOptions{
		LockTimeout: 100 * time.Millisecond, StatementTimeout: time.Second, Patience: 500 * time.Millisecond,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	note := func(ref, key string) road.Command {
		return road.Command{Sender: "desk", Workflow: "fixture", Kind: "fixture", Ref: ref, Code: "note", Key: key, Input: []byte(`{"text": "x"}`)}
	}
	release := b.hold(t, lockFinal)
	told := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 10_000 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			if i%3 == 0 {
				cancel()
			}
			a := r.Execute(ctx, note("final", fmt.Sprint("w", i)))
			cancel()
			mu.Lock()
			told[string(a.Outcome)+" "+a.Reason]++
			mu.Unlock()
		})
	}
	all.Wait()
	if told["try_again busy"]+told["try_again lock_timeout"] != 10_000 || told["try_again lock_timeout"] == 0 {
		t.Errorf("told %v", told)
	}
	release()
	for i := range 3000 {
		if a := r.Execute(t.Context(), note(fmt.Sprint("unknown-", i), "k")); a.Reason != "subject_not_found" {
			t.Fatalf("an unknown subject: %+v", a)
		}
	}
	if a := r.Execute(t.Context(), note("final", "normal")); a.Outcome != road.Accepted {
		t.Errorf("the normal command: %s", a.Body)
	}
	if s := r.Stats(); s.Subjects != 0 || s.Inside != 0 || s.Waiting != 0 || s.UnderWay != 0 {
		t.Errorf("left over: %+v", s)
	}
}

// PG-12: the server is stopped while its command is at COMMIT. Either the whole command is there or nothing of it: it is
// one statement, so Postgres ends it without the server; a session that is ended meanwhile takes all of it along.
func TestPG12StoppedServer(t *testing.T) {
	b := newBed(t, harness.New(t))
	u := b.serve(t)
	for _, c := range []struct {
		name, first, again string
		meanwhile          func(open func())
	}{
		{"commit-goes-on", "accepted", "duplicate", func(open func()) {
			open()
			b.WaitFor(t, `select exists (select from road.command where command_id = 'commit-goes-on')`)
		}},
		{"commit-session-ended", "try_again commit_unknown", "accepted", func(open func()) {
			b.exec(t, `select pg_terminate_backend((`+sessionOf+`))`)
			b.WaitFor(t, `select not exists (select from pg_locks where locktype = 'advisory' and objid = $1 and not granted)`, gateLock)
			open()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := b.closeGates(t)
			got := b.start(t.Context(), u, line(c.name, "x"))
			b.atGate(t)
			u.process().signal(t, syscall.SIGSTOP)
			c.meanwhile(open)
			// Nothing is left open by the stopped server, and nobody has to wait for it.
			b.WaitFor(t, `select not exists (select from pg_stat_activity where datname = current_database()
				and application_name like 'umpire:command%' and (state <> 'idle' or backend_xid is not null))`)
			if n := value[int](t, b, `select count(*)::int from (`+lockFinal+` nowait) s`); n != 1 {
				t.Error("the fixture is still locked")
			}
			u.process().signal(t, syscall.SIGCONT)
			if a := receive(t, got, "the answer"); a.brief() != c.first {
				t.Errorf("first: %v", a)
			}
			if a, _ := b.settle(t, u, line(c.name, "x")); a.brief() != c.again {
				t.Errorf("again: %v", a)
			}
			b.once(t, c.name)
		})
	}
}
