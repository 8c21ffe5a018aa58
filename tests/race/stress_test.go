package race_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// Twelve writers, a third of them on two subjects; three strangers that hold xids; readers with pages of 1 to 20. Nothing
// may be skipped, nothing may come twice, and each subject's notes come in the order of its log.
func TestOutboxUnderStress(t *testing.T) {
	t.Parallel()
	const writers, commands = 12, 60

	// Whoever holds an xid, in whatever database, holds back the readers, and other tests do so for long.
	db := harness.NewOwn(t, postgres.Options{})
	layOut(t, db.URL())
	b := &bed{url: db.URL()}
	b.patient(t)
	setup := b.session(t)
	refs := []string{"final", "semi", "other"}
	ids := map[string]string{}
	for _, ref := range refs {
		ids[ref] = setup.subject(t, ref)
	}

	writing, stopped := context.WithCancel(t.Context())
	defer stopped()
	problems := make(chan string, writers+100)
	var busy, strangers sync.WaitGroup
	for w := range writers {
		s := b.session(t)
		rng := rand.New(rand.NewPCG(uint64(w), 1))
		busy.Go(func() {
			for range commands {
				i := rng.IntN(len(refs))
				c := note(refs[i])
				if w%3 == 0 {
					c = touch(refs[i], ids[refs[(i+1+rng.IntN(2))%3]])
				}
				if rng.IntN(8) == 0 {
					c = put(fmt.Sprintf("f%d", rng.IntN(4)), "x", "null") // event and fixture; mostly a conflict
				}
				got := s.try(writing, c)
				if got.err != nil {
					problems <- fmt.Sprintf("%s: %v", got.brief, got.err)
					return
				}
			}
		})
	}
	for range 3 {
		s := b.session(t)
		strangers.Go(func() {
			// Ended between two statements, it would sit there with its transaction open, and hold back the readers for good.
			defer func() { _ = s.Close(t.Context()) }()
			for writing.Err() == nil {
				// an xid that is held for as long as some round trips take
				_, err := s.Exec(writing, "begin; select pg_current_xact_id()")
				for range 20 {
					if err == nil {
						_, err = s.Exec(writing, "select 1")
					}
				}
				if err == nil {
					_, err = s.Exec(writing, "commit")
				}
				if err != nil && writing.Err() == nil {
					problems <- "stranger: " + err.Error()
					return
				}
			}
		})
	}
	readers := []*reader{newReader(t, b, 1), newReader(t, b, 2), newReader(t, b, 7), newReader(t, b, 20)}
	done := make(chan struct{})
	go func() { busy.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, r := range readers {
			r.read(t)
		}
	}
	stopped()
	strangers.Wait()
	close(problems)
	for p := range problems {
		t.Error(p)
	}
	if t.Failed() {
		return
	}
	for _, r := range readers {
		r.readAll(t)
		r.complete(t)
	}
	// How many would have been out of order by the transactions' own xids, which command rows carry as xmin.
	wrong := value[int](t, setup.Conn, `
		select count(*)::int
		from (
		    select l.seq, lag(l.seq) over (partition by l.subject_id order by k.xmin::text::bigint, l.seq) as before
		    from road.log l
		    join road.command k on k.sender = l.sender and k.actor = l.actor and k.command_id = l.command_id
		) o
		where o.seq <> o.before + 1`)
	t.Logf("%d notes read by each of %d readers; %d would have been out of order by the transactions' own xids", len(readers[0].seen), len(readers), wrong)
	if deadlocks := value[int](t, setup.Conn, "select deadlocks::int from pg_stat_database where datname = current_database()"); deadlocks > 0 {
		t.Errorf("C-032: %d deadlocks", deadlocks)
	}
	if broken := values[string](t, setup.Conn, "select name || ' ' || detail from road.invariants()"); len(broken) > 0 {
		t.Error(strings.Join(broken, "\n"))
	}
}
