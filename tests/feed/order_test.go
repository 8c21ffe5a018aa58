package feed_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"umpire/server/api"
	"umpire/server/feed"
)

func same(t testing.TB, who string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%s: %d notes, want %d; the first that differs is number %d, want %s", who, len(got), len(want), i, want[i])
				return
			}
		}
		t.Errorf("%s: %d notes, want %d", who, len(got), len(want))
	}
}

// OB-02: one writer is held open while many others commit. Nobody passes it; once it commits, every kind of reader has
// every note once and in order: viewers that stay and viewers that come back at random, over HTTP and on the hub itself,
// SQL with a cursor of its own, durable consumers; and whoever came only while it was open.
func TestOB02WriterHeldOpen(t *testing.T) {
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Keep = 64 }) // so that some must catch up from the database
	web := func() string { return b.web }
	watch := connect(t, b.url)
	before := len(outbox(t, watch))
	position := func() string { return b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string) }
	start := position()
	b.must(t, http.MethodPut, "/consumers/stats", `{"from": "now"}`)
	readers := []*follower{
		watchStream(t, "the viewer that stays", web, "", nil),
		watchHub(t, "the one on the hub that stays", b.hub, "", nil),
		watchSQL(t, "SQL with road.feed_page", b.url, byPage, start, dice(1)),
		watchSQL(t, "SQL with road.notes", b.url, byNotes, start, dice(2)),
		watchConsumer(t, "stats", web, b.token, dice(3)),
	}
	for i := range uint64(3) {
		readers = append(readers,
			watchStream(t, fmt.Sprintf("wanderer %d", i), web, start, dice(10+i)),
			watchHub(t, fmt.Sprintf("wanderer %d on the hub", i), b.hub, start, dice(20+i)))
	}

	held := hold(t, b.url)
	others := gather(t, b.url, 4, size(40, 250)).done(t)
	// These come late: what was committed above the horizon is still to come for them.
	b.must(t, http.MethodPut, "/consumers/late", `{"from": "now"}`)
	readers = append(readers,
		watchStream(t, "a viewer that came late", web, "", nil),
		watchStream(t, "a viewer that read the state late", web, position(), dice(4)),
		watchHub(t, "one on the hub that came late", b.hub, "", nil),
		watchConsumer(t, "late", web, b.token, dice(5)))
	keepOpen(t, watch, held)
	mustWait(t, watch, held, readers, 0, b.hub)

	exec(t, held, "commit")
	poured := last(outbox(t, watch))
	for _, f := range readers {
		f.upTo(t, poured)
	}
	comment(t, watch, "f0", "the last") // so that what comes twice is seen
	want := outbox(t, watch)[before:]
	contain(t, "the outbox", want, others)
	if len(want) != len(others)+2 {
		t.Errorf("%d notes in the outbox, and %d were acknowledged", len(want), len(others)+2)
	}
	for _, f := range readers {
		same(t, f.name, f.upTo(t, last(want)), want)
		f.mustBeSteady(t)
	}
	t.Logf("%d readers, %d notes each", len(readers), len(want))
}

// OB-04: a stranger's transaction in another database stops readers, not commands; it is named with pid and age; after
// its end all arrive once.
func TestOB04StrangerInAnotherDatabase(t *testing.T) {
	b, db := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.StuckAfter = time.Millisecond })
	s := mustOpen(t, b.web+"/notes", "")
	defer s.close()
	s.mustNext(t, "hello")
	stranger := connect(t, db.Cluster().URLFor("postgres"))
	exec(t, stranger, "begin; select pg_current_xact_id()")
	writer := connect(t, b.url)
	for range 5 {
		comment(t, writer, "f1", "x")
	}
	named := fmt.Sprintf("pid=%d", stranger.PgConn().PID())
	for end := time.Now().Add(limit); !strings.Contains(b.logged.String(), named); {
		if time.Now().After(end) {
			t.Fatalf("nobody names the stranger %s:\n%s", named, b.logged.String())
		}
		b.hub.Wake()
	}
	if st := b.hub.Stats(); st.HeldByPID != int32(stranger.PgConn().PID()) || st.HeldFor <= 0 || !strings.Contains(st.HeldByName, "database postgres") {
		t.Errorf("%+v", st)
	}
	exec(t, stranger, "rollback")
	got, _ := s.mustRead(t, 5)
	if want := []string{"f1 2", "f1 3", "f1 4", "f1 5", "f1 6"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// OB-07: a page may end within one transaction; the consumer goes on there.
func TestOB07PageEndsWithinATransaction(t *testing.T) {
	b, _ := newBed(t, nil)
	b.must(t, http.MethodPut, "/consumers/stats", `{"from": "start"}`)
	want := allNotes(t, connect(t, b.url)) // a fixture_put writes two notes
	same(t, "one by one", b.consume(t, "stats", 1), want)
}
