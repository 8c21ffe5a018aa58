package feed_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"umpire/server/api"
	"umpire/server/feed"
)

func same(t *testing.T, who string, got, want []string) {
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
// every note once and in order: a viewer that stays, viewers that come back at random, a durable consumer.
func TestOB02WriterHeldOpen(t *testing.T) {
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Keep = 64 }) // so that some must catch up from the database
	watch := connect(t, b.url)
	before := len(allNotes(t, watch))
	b.must(t, http.MethodPut, "/consumers/stats", `{"from": "now"}`)
	stays := mustOpen(t, b.web+"/notes", "")
	defer stays.close()
	hello := stays.mustNext(t, "hello")
	if hello.hasID {
		t.Error("a control frame has an id")
	}

	held := connect(t, b.url)
	exec(t, held, "begin")
	comment(t, held, "f0", "held")
	writers, each := 4, size(40, 250)
	var busy sync.WaitGroup
	for w := range writers {
		conn := connect(t, b.url)
		busy.Go(func() {
			for i := range each {
				// never f0: its row is locked
				if err := trySend(t.Context(), conn, "fixture", "fixture", fmt.Sprintf("f%d", 1+(w+i)%3), "note", `{"text": "x"}`, ""); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	total := writers*each + 1
	wanderers := make([][]string, 3)
	var wander sync.WaitGroup
	for i := range wanderers {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		start := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
		wander.Go(func() {
			last, first := "", start
			for len(wanderers[i]) < total {
				// SS-12: by the header, or by the address when the page opens the stream anew
				url, header := b.web+"/notes", last
				if last == "" || rng.IntN(2) == 0 {
					url, header = b.web+"/notes?after="+first, ""
				}
				s, err := open(t, url, header)
				if err != nil {
					t.Error(err)
					return
				}
				for range 1 + rng.IntN(30) {
					f, err := s.next()
					if err != nil || f.event == "reload" {
						t.Errorf("wanderer %d: %+v %v", i, f, err)
						s.close()
						return
					}
					if f.event == "note" {
						wanderers[i] = append(wanderers[i], f.note(t))
						last, first = f.id, f.id
						if len(wanderers[i]) == total {
							break
						}
					}
				}
				s.close()
			}
		})
	}
	busy.Wait()
	// Longer than every pause and time-out that a reader has.
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	open := fmt.Sprintf("select (extract(epoch from clock_timestamp() - a.xact_start))::int from pg_stat_activity a where a.pid = %d", held.PgConn().PID())
	for seconds, said := value[int](t, watch, open), 0; seconds < size(0, 60); seconds = value[int](t, watch, open) {
		<-look.C
		if seconds/10 > said {
			said = seconds / 10
			t.Logf("%d others have committed; the writer is open for %d s", writers*each, seconds)
		}
	}
	if got := b.consume(t, "stats", 7); len(got) > 0 {
		t.Errorf("the consumer passed an open transaction: %v", got)
	}
	if got := allNotes(t, watch); len(got) != before {
		t.Errorf("%d notes are shown while an older transaction is open", len(got)-before)
	}
	exec(t, held, "commit")
	got, _ := stays.mustRead(t, total)
	wander.Wait()
	want := allNotes(t, watch)[before:]
	same(t, "the viewer that stays", got, want)
	for i, w := range wanderers {
		same(t, fmt.Sprintf("wanderer %d", i), w, want)
	}
	same(t, "the consumer", b.consume(t, "stats", 7), want)
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
