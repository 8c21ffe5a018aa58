package fault_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// A point is a place on a command's way where a test can stop it.
type point struct {
	name string
	// stop makes the next command with a key of this point stop; the returned function lets it go on.
	stop func(t testing.TB, b *bed) (release func())
	// stopped waits until it has.
	stopped func(t testing.TB, b *bed, key string)
}

func points() []point {
	gate := func(name string) point {
		return point{name,
			func(t testing.TB, b *bed) func() { return b.closeGates(t) },
			func(t testing.TB, b *bed, _ string) { b.atGate(t) }}
	}
	return []point{
		{"waiting", // for the subject, which somebody else holds; nothing is locked, no xid is taken
			func(t testing.TB, b *bed) func() {
				return b.hold(t, `select from road.subject where ref = 'final' for no key update`)
			},
			func(t testing.TB, b *bed, _ string) { b.inLockWait(t, 1) }},
		gate("locked"), gate("handler"), gate("row"), gate("commit"),
		{"answered", // committed; the answer is on its way and does not arrive
			func(t testing.TB, b *bed) func() {
				b.link.loseAnswers(t, 0)
				return func() { b.link.mend(t) }
			},
			func(t testing.TB, b *bed, key string) {
				b.WaitFor(t, `select exists (select from road.command where command_id = $1)`, key)
			}},
	}
}

// inLockWait waits until n commands wait in Postgres for a lock.
func (b *bed) inLockWait(t testing.TB, n int) {
	t.Helper()
	b.WaitFor(t, `select count(*) = $1 from pg_stat_activity
		where datname = current_database() and application_name like 'umpire:command %' and wait_event_type = 'Lock'`, n)
}

// sessionOf is the backend that works on the command; there is only one on this bed.
const sessionOf = `select pid from pg_stat_activity where datname = current_database() and application_name like 'umpire:command%' order by query_start desc limit 1`

// cell is a command stopped at a point while something breaks.
type cell struct {
	*bed
	umpire  *umpire
	point   string
	command command
	hangUp  context.CancelFunc
	release func()
}

// A fault is what breaks while the command is stopped. strike lets the command go on (release), before or after it, and
// brings back what died.
type fault struct {
	name   string
	strike func(t testing.TB, c *cell, first <-chan answer) answer
	// What the sender may be told: first, and when it sends again. Points that are not named are "".
	first, again map[string]string
}

// In each set the alternatives are separated by |. "lost" is no answer at all.
func faults() []fault {
	const orphan = "accepted|duplicate" // the session goes on without its server; the resend may come before or after it
	return []fault{
		{
			name: "server killed",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.umpire.kill(t)
				a := receive(t, first, "the first answer")
				c.release()
				c.umpire.start(t)
				return a
			},
			first: map[string]string{"": "lost"},
			again: map[string]string{"": orphan, "answered": "duplicate"},
		},
		{
			// ID-05: the resend meets the session that the dead server left behind.
			name: "server killed, sent again at once",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.umpire.kill(t)
				a := receive(t, first, "the first answer")
				if c.point == "answered" { // nothing is left behind, and a server cannot start on a link that loses answers
					c.release()
				}
				c.umpire.start(t)
				again := c.bed.start(t.Context(), c.umpire, c.command)
				if c.point != "answered" {
					c.inLockWait(t, 2)
					c.release()
				}
				if got := receive(t, again, "the second answer"); got.Decided().Outcome != "accepted" && got.Outcome != "try_again" {
					t.Errorf("at once: %v", got)
				}
				return a
			},
			first: map[string]string{"": "lost"},
			again: map[string]string{"": "duplicate"},
		},
		{
			name: "postgres killed",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				if err := c.Cluster().Kill(); err != nil {
					t.Fatal(err)
				}
				a := receive(t, first, "the first answer")
				c.release()
				if err := c.Cluster().Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				return a
			},
			first: map[string]string{"": "try_again commit_unknown"},
			again: map[string]string{"": "accepted", "answered": "duplicate"},
		},
		{
			name: "backend killed", // the whole cluster recovers from it
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				if err := syscall.Kill(value[int](t, c.bed, sessionOf), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				a := receive(t, first, "the first answer")
				c.release()
				return a
			},
			first: map[string]string{"": "try_again commit_unknown"},
			again: map[string]string{"": "accepted", "answered": "duplicate"},
		},
		{
			name: "session ended",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.exec(t, `select pg_terminate_backend((`+sessionOf+`))`)
				a := receive(t, first, "the first answer")
				c.release()
				return a
			},
			// At COMMIT the row has come already, and nobody says that the commit had not begun.
			first: map[string]string{"": "try_again session_ended", "commit": "try_again commit_unknown", "answered": "try_again commit_unknown"},
			again: map[string]string{"": "accepted", "answered": "duplicate"},
		},
		{
			name: "answer cut off", // PG-01
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.link.mend(t)
				c.link.loseAnswers(t, 1)
				a := receive(t, first, "the first answer")
				c.release()
				c.link.mend(t)
				return a
			},
			first: map[string]string{"": "try_again commit_unknown"},
			again: map[string]string{"": orphan, "answered": "duplicate"},
		},
		{
			name: "time-out",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				a := receive(t, first, "the first answer")
				c.release()
				return a
			},
			// At COMMIT no limit of Postgres strikes any more; the server's own does, and it cannot know.
			first: map[string]string{"": "try_again statement_timeout", "waiting": "try_again lock_timeout",
				"commit": "try_again commit_unknown", "answered": "try_again commit_unknown"},
			again: map[string]string{"": "accepted", "commit": orphan, "answered": "duplicate"},
		},
		{
			name: "client gone",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.hangUp()
				a := receive(t, first, "the first answer")
				c.release()
				return a
			},
			// A command runs to its end whoever listens; a copy of it waits for that.
			first: map[string]string{"": "lost"},
			again: map[string]string{"": "duplicate"},
		},
		{
			name: "functions replaced",
			strike: func(t testing.TB, c *cell, first <-chan answer) answer {
				c.exec(t, `do $$
					declare
					    v_handler text := pg_get_functiondef('sport.fixture_note'::regproc);
					begin
					    execute pg_get_functiondef('road.execute'::regproc);
					    drop function sport.fixture_note;
					    execute v_handler;
					    alter function sport.fixture_note owner to umpire_owner;
					end $$`)
				c.release()
				return receive(t, first, "the first answer")
			},
			first: map[string]string{"": "accepted|try_again code_replaced", "answered": "try_again commit_unknown"},
			again: map[string]string{"": "accepted|duplicate", "answered": "duplicate"},
		},
	}
}

// C-132, ID-05, ID-08, PG-01, PG-10: whatever breaks, and wherever the command is, sending the same command again under the same key ends
// with one application; another command under that key is refused.
func TestC132PointsAndFaults(t *testing.T) {
	own := newBed(t, harness.NewOwn(t, postgres.Options{}))
	u := own.serve(t)
	for _, p := range points() {
		for _, f := range faults() {
			if f.name == "time-out" {
				continue
			}
			t.Run(p.name+"/"+f.name, func(t *testing.T) { runCell(t, own, u, p, f) })
		}
	}
}

// These wait for a limit of five seconds; so each has a bed of its own and they wait side by side.
func TestC132PointsAndTimeouts(t *testing.T) {
	for _, p := range points() {
		for _, f := range faults() {
			if f.name != "time-out" {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				b := newBed(t, harness.New(t))
				runCell(t, b, b.serve(t), p, f)
			})
		}
	}
}

func runCell(t *testing.T, b *bed, u *umpire, p point, f fault) {
	key := p.name + "-" + strings.NewReplacer(" ", "-", ",", "").Replace(f.name)
	// The sender is looked up by a read, which is not what is to be stopped: now the server knows it.
	if a, _ := b.settle(t, u, line("before-"+key, "x")); a.brief() != "accepted" {
		t.Fatalf("the command before: %v", a)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	c := &cell{bed: b, umpire: u, point: p.name, command: line(key, "x"), hangUp: hangUp, release: p.stop(t, b)}
	got := b.start(ctx, u, line(key, "x"))
	p.stopped(t, b, key)
	first := f.strike(t, c, got)
	expect(t, "first", first.brief(), f.first, p.name)

	// A retry of our own, while nothing else is known.
	again, before := b.settle(t, u, line(key, "x"))
	expect(t, "again", again.brief(), f.again, p.name)
	if d := again.Decided(); d.Outcome != "accepted" || d.Key != key {
		t.Errorf("decided as %+v", d)
	}
	if first.Outcome == "accepted" && (again.First == nil || again.First.Seq != first.Seq) {
		t.Errorf("first %+v, then %+v", first.Answer, again.First)
	}
	if a := b.post(t.Context(), u, line(key, "y")); a.brief() != "refused key_reused" || a.First != nil {
		t.Errorf("another body under the key: %v", a)
	}
	if a := b.post(t.Context(), u, line("after-"+key, "x")); a.brief() != "accepted" {
		t.Errorf("the next command: %v", a)
	}
	b.once(t, key)
	b.sound(t)
	t.Logf("first %s; again %s after %v", first.brief(), again.brief(), before)
}

func expect(t testing.TB, what, got string, sets map[string]string, point string) {
	t.Helper()
	set, ok := sets[point]
	if !ok {
		set = sets[""]
	}
	if !slices.Contains(strings.Split(set, "|"), got) {
		t.Errorf("%s: %s, expected %s", what, got, fmt.Sprintf("%q", set))
	}
}
