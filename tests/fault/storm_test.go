package fault_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/client"
	"umpire/server/postgres"
	"umpire/tests/harness"
)

// C-132, the whole of it: two server processes, sixteen senders, every third command sent twice (half of the copies to the
// other server, at the same moment), Postgres and each server killed again and again. Every acknowledged command is there
// once, under the number that was acknowledged; nothing else is.
//
// Every twentieth command creates an event, the others are lines on eight fixtures.
func TestC132Storm(t *testing.T) {
	total, kills := *stormCommands, *stormKills
	var fixtures []string
	for i := range 8 {
		fixtures = append(fixtures, fmt.Sprint("f", i))
	}
	b := newBed(t, harness.NewOwn(t, postgres.Options{}), fixtures...)
	servers := []*umpire{serve(t, b.URL()), serve(t, b.URL())}
	before := value[int](t, b, `select count(*)::int from road.log`)

	s := &storm{bed: b, servers: servers, acknowledged: map[string]*client.Answer{}}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	var senders sync.WaitGroup
	jobs := make(chan int)
	for range 16 {
		senders.Go(func() {
			for i := range jobs {
				s.send(ctx, i, fixtures)
			}
		})
	}
	// The kills are spread over the commands, whatever the machine's speed.
	victims := []func(){
		func() { s.killPostgres(t) },
		func() { s.servers[0].kill(t); s.servers[0].start(t) },
		func() { s.servers[1].kill(t); s.servers[1].start(t) },
	}
	for i := range total {
		if every := total / (kills*len(victims) + 1); i > 0 && i%every == 0 && i/every <= kills*len(victims) {
			victims[i/every%len(victims)]()
		}
		jobs <- i
	}
	close(jobs)
	senders.Wait()
	took := time.Since(began)

	if len(s.undecided) > 0 {
		t.Errorf("%d commands were never decided: %v", len(s.undecided), s.undecided[:min(3, len(s.undecided))])
	}
	if len(s.wrong) > 0 {
		t.Errorf("%d wrong answers: %v", len(s.wrong), s.wrong[:min(3, len(s.wrong))])
	}
	if len(s.acknowledged) != total {
		t.Errorf("%d of %d commands acknowledged", len(s.acknowledged), total)
	}
	s.compare(t)
	if n := value[int](t, b, `select count(*)::int from road.log`) - before; n != total {
		t.Errorf("%d log rows for %d commands", n, total)
	}
	s.summary(t, took)
}

type storm struct {
	*bed
	servers   []*umpire
	sent      atomic.Int64 // commands and copies
	requests  atomic.Int64
	lost      atomic.Int64
	duplicate atomic.Int64
	killed    int

	mu           sync.Mutex
	acknowledged map[string]*client.Answer
	tryAgain     map[string]int
	undecided    []string
	wrong        []string
}

// send sends command i; a copy of every third beside it.
func (s *storm) send(ctx context.Context, i int, fixtures []string) {
	c := line(fmt.Sprint("storm-", i), fmt.Sprint("line ", i)).on(fixtures[i%len(fixtures)])
	if i%20 == 0 {
		c = command{workflow: "event", kind: "event", ref: fmt.Sprint("event-", i), code: "create", key: c.key, input: `{"name": "Cup"}`}
	}
	var both sync.WaitGroup
	both.Go(func() { s.sendOne(ctx, i%2, c) })
	if i%3 == 0 {
		both.Go(func() { s.sendOne(ctx, (i+i/3)%2, c) })
	}
	both.Wait()
}

// sendOne sends a command until it is decided, now to one server, now to the other when that does not help.
func (s *storm) sendOne(ctx context.Context, server int, c command) {
	s.sent.Add(1)
	for attempt := 0; ; attempt++ {
		s.requests.Add(1)
		a := s.post(ctx, s.servers[(server+attempt)%2], c)
		switch {
		case a.err != nil:
			s.lost.Add(1)
		case a.Outcome == "try_again":
			s.mu.Lock()
			if s.tryAgain == nil {
				s.tryAgain = map[string]int{}
			}
			s.tryAgain[a.Reason.Code]++
			s.mu.Unlock()
		default:
			s.decided(c, a)
			return
		}
		select {
		case <-ctx.Done():
			s.mu.Lock()
			s.undecided = append(s.undecided, c.key+": "+a.String())
			s.mu.Unlock()
			return
		case <-time.After(min(20*time.Millisecond<<min(attempt, 5), 500*time.Millisecond)):
		}
	}
}

// decided keeps what was acknowledged and compares it with what a copy was told.
func (s *storm) decided(c command, a answer) {
	d := a.Decided()
	if a.Outcome == "duplicate" {
		s.duplicate.Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.acknowledged[c.key]
	switch {
	case d.Outcome != "accepted" || d.Key != c.key || d.Subject.Ref != c.ref:
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v %+v", c.key, a, d))
	case other != nil && (other.Seq != d.Seq || other.Subject != d.Subject):
		s.wrong = append(s.wrong, fmt.Sprintf("%s: acknowledged as %d and as %d", c.key, other.Seq, d.Seq))
	case other != nil && a.Outcome == "accepted":
		// One of the two was a duplicate of the other, or the accepted answer was overtaken on its way.
	}
	s.acknowledged[c.key] = d
}

func (s *storm) killPostgres(t testing.TB) {
	t.Helper()
	s.killed++
	if err := s.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// compare reads every command and log row back: what was acknowledged is there, once, under its number.
func (s *storm) compare(t testing.TB) {
	t.Helper()
	conn := s.Conn(t)
	rows, err := conn.Query(t.Context(), `
		select l.command_id, min(l.seq), count(*), min(s.ref),
		    (select count(*) from road.command k where k.command_id = l.command_id and k.outcome = 'accepted' and k.seq = min(l.seq)),
		    min(coalesce(l.input ->> 'text', ''))
		from road.log l join road.subject s using (subject_id) where l.command_id like 'storm-%' group by l.command_id`)
	if err != nil {
		t.Fatal(err)
	}
	var key, ref, text string
	var seq, logged, commands int64
	seen := 0
	_, err = pgx.ForEachRow(rows, []any{&key, &seq, &logged, &ref, &commands, &text}, func() error {
		seen++
		d := s.acknowledged[key]
		switch {
		case d == nil:
			t.Errorf("%s is there and was never acknowledged", key)
		case logged != 1 || commands != 1 || d.Seq != seq || d.Subject.Ref != ref:
			t.Errorf("%s: %d log rows, %d commands, number %d on %s; acknowledged %d on %s", key, logged, commands, seq, ref, d.Seq, d.Subject.Ref)
		case text != "" && text != "line "+strings.TrimPrefix(key, "storm-"):
			t.Errorf("%s says %q", key, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen != len(s.acknowledged) {
		t.Errorf("%d commands are there, %d were acknowledged", seen, len(s.acknowledged))
	}
	s.sound(t)
}

func (s *storm) summary(t testing.TB, took time.Duration) {
	t.Helper()
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(what string, n any) { _, _ = fmt.Fprintf(w, "%v\t %s\n", n, what) }
	row("commands", *stormCommands)
	row("sent, with copies", s.sent.Load())
	row("requests", s.requests.Load())
	row("acknowledged, each there once", len(s.acknowledged))
	row("told duplicate", s.duplicate.Load())
	row("requests without any answer", s.lost.Load())
	for reason, n := range s.tryAgain {
		row("told try again: "+reason, n)
	}
	row("times Postgres was killed", s.killed)
	row("times each server was killed", *stormKills)
	row("seconds", took.Round(time.Second/10).Seconds())
	_ = w.Flush()
	t.Log("\n" + text.String())
}
