package feed_test

import (
	"fmt"
	"net/http"
	"testing"
)

// OB-05: a commit is held open while the server's clock is stepped ten minutes forth and back, and what goes by the clock
// runs meanwhile: pruning that keeps notes for a minute only, the expiry of a consumer that may lag for five. No reader
// passes the open transaction, nothing is pruned that the consumer has not read, and it does not expire for notes that it
// could not have read.
func TestOB05SteppedClock(t *testing.T) {
	b, _ := newBed(t, nil)
	watch, held := connect(t, b.url), connect(t, b.url)
	b.must(t, http.MethodPut, "/consumers/stats", `{"from": "now"}`)
	exec(t, watch, "update road.consumer set max_lag = '5 minutes'")
	before := len(allNotes(t, watch))
	stays := mustOpen(t, b.web+"/notes", "")
	defer stays.close()
	stays.mustNext(t, "hello")

	step := func(by string) {
		exec(t, watch, fmt.Sprintf("create or replace function road.now() returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() + interval '%s' $$", by))
	}
	// byTheClock runs what looks at the clock, and says how many notes it pruned and how many consumers it gave up.
	byTheClock := func() (pruned, expired int) {
		return value[int](t, watch, "select road.prune_notes('1 minute')"), value[int](t, watch, "select count(*)::int from road.consumer_expire()")
	}
	exec(t, held, "begin")
	comment(t, held, "f0", "held")
	total := 1
	for _, by := range []string{"10 minutes", "-10 minutes", "0"} {
		step(by)
		for i := range 5 {
			comment(t, watch, fmt.Sprintf("f%d", 1+i%3), "x")
			total++
		}
		pruned, expired := byTheClock()
		if by == "10 minutes" && pruned != before {
			t.Errorf("%d notes were pruned, want the %d that lie before the consumer", pruned, before)
		}
		if by != "10 minutes" && pruned > 0 || expired > 0 {
			t.Errorf("the clock stepped by %s: %d pruned, %d expired", by, pruned, expired)
		}
		if got := b.consume(t, "stats", 3); len(got) > 0 {
			t.Errorf("the clock stepped by %s: the consumer passed an open transaction: %v", by, got)
		}
		if got := allNotes(t, watch); by == "10 minutes" && len(got) > 0 {
			t.Errorf("%v are shown while an older transaction is open", got)
		}
	}
	step("10 minutes")
	exec(t, held, "commit")
	waitFor(t, "the horizon", func() bool { return len(allNotes(t, watch)) == total })
	if pruned, _ := byTheClock(); pruned > 0 {
		t.Fatalf("%d notes were pruned that the consumer has not read", pruned)
	}
	exec(t, watch, "update road.consumer set expired_at = null") // ten minutes late by the clock, for notes that it could have read: that is what it is for
	want := allNotes(t, watch)
	got, _ := stays.mustRead(t, total)
	same(t, "the viewer that stays", got, want)
	same(t, "the consumer", b.consume(t, "stats", 3), want)
	if pruned, _ := byTheClock(); pruned != total {
		t.Errorf("%d notes were pruned once all were read, want %d", pruned, total)
	}
}
