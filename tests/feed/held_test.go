package feed_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"umpire/server/api"
	"umpire/server/feed"
	"umpire/server/postgres"
	"umpire/tests/harness"
)

// These tests put a crash, a failover and a restore into the minute in which a writer is held open: many others have
// committed, and their notes lie above the horizon, where nobody may have read them.

// OB-02, kill -9 of the server that readers read from, first while notes wait above the horizon, then while they pour out.
// Viewers come to the next server with the id that they had last, consumers with what they had acknowledged.
func TestOB02HeldWriterKillServer(t *testing.T) {
	db := harness.New(t)
	token := layOut(t, db.URL())
	watch := connect(t, db.URL())
	first, kill := harness.ServeToKill(t, db.URL())
	var now atomic.Pointer[string]
	now.Store(&first)
	web := func() string { return *now.Load() }
	killAndStart := func() {
		t.Helper()
		kill()
		var next string
		next, kill = harness.ServeToKill(t, db.URL())
		now.Store(&next)
	}
	must := func(method, path, body string) map[string]any {
		t.Helper()
		status, got, err := ask(t.Context(), method, web()+path, token, body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s %s: %d %v %v", method, path, status, got, err)
		}
		return got
	}

	before := len(outbox(t, watch))
	start := must(http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	must(http.MethodPut, "/consumers/stats", `{}`)
	must(http.MethodPut, "/consumers/watched", `{}`)
	file := filepath.Join(t.TempDir(), "read")
	process := startReader(t, db.URL(), file) // reads stats
	viewers := []*follower{
		watchStream(t, "the viewer that stays", web, "", nil),
		watchStream(t, "the wanderer", web, start, dice(1)),
	}
	readers := append(viewers,
		watchConsumer(t, "watched", web, token, dice(2)),
		watchSQL(t, "SQL with road.feed_page", db.URL(), byPage, start, dice(3)),
		watchSQL(t, "SQL with road.notes", db.URL(), byNotes, start, dice(4)))

	had := settle(t, watch, "f0", readers)
	held := hold(t, db.URL())
	others := gather(t, db.URL(), 4, size(25, 250)).done(t)
	// This one never had an id when its server dies: it comes back with the position that it was greeted with.
	late := watchStream(t, "a viewer that came late", web, "", nil)
	keepOpen(t, watch, held)

	looked := []int64{viewers[0].looks.Load(), viewers[1].looks.Load(), late.looks.Load()}
	killAndStart()
	process.kill()
	startReader(t, db.URL(), file)
	for i, f := range append(viewers[:2:2], late) {
		f.until(t, "the second server", func() bool { return f.looks.Load() > looked[i] })
	}
	mustWait(t, watch, held, append(readers[:len(readers):len(readers)], late), had, nil)

	exec(t, held, "commit")
	viewers[0].until(t, "the notes that pour out", func() bool { return len(viewers[0].got()) > had })
	killAndStart()
	comment(t, watch, "f0", "the last")
	want := outbox(t, watch)[before:]
	contain(t, "the outbox", want, others)
	if len(want) != had+len(others)+2 {
		t.Errorf("%d notes in the outbox, and %d were acknowledged", len(want), had+len(others)+2)
	}
	for _, f := range readers {
		same(t, f.name, f.upTo(t, last(want)), want)
	}
	same(t, late.name, late.upTo(t, last(want)), want[had:])
	waitFor(t, "the reader that was killed to have the last", func() bool { return slices.Contains(written(t, file), last(want)) })
	same(t, "the reader that was killed", oncePerSeq(written(t, file)), want)
	t.Logf("%d readers, %d notes each; two servers killed", len(readers)+2, len(want))
}

// OB-02, kill -9 of Postgres: the held writer's note is gone with it, and what was acknowledged while it was open comes to
// every kind of reader, once and in order. The number that it had taken is given out again.
func TestOB02HeldWriterKillPostgres(t *testing.T) {
	db := harness.NewProcess(t, postgres.Options{})
	token := layOut(t, db.URL())
	b := serve(t, db.URL(), token, func(o *feed.Options, _ *api.StreamOptions) { o.Keep = 64 })
	web := func() string { return b.web }
	watch := connect(t, db.URL())
	before := len(outbox(t, watch))
	start := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	b.must(t, http.MethodPut, "/consumers/stats", `{}`)
	b.must(t, http.MethodPut, "/consumers/watched", `{}`)
	file := filepath.Join(t.TempDir(), "read")
	startReader(t, db.URL(), file)
	readers := []*follower{
		watchStream(t, "the viewer that stays", web, "", nil),
		watchStream(t, "the wanderer", web, start, dice(1)),
		watchHub(t, "the one on the hub that stays", b.hub, "", nil),
		watchHub(t, "the wanderer on the hub", b.hub, start, dice(2)),
		watchConsumer(t, "watched", web, token, dice(3)),
		watchSQL(t, "SQL with road.feed_page", db.URL(), byPage, start, dice(4)),
		watchSQL(t, "SQL with road.notes", db.URL(), byNotes, start, dice(5)),
	}
	had := settle(t, watch, "f1", readers)

	held := hold(t, db.URL())
	acknowledged := gather(t, db.URL(), 4, size(20, 250)).done(t)
	keepOpen(t, watch, held)
	b.must(t, http.MethodPut, "/consumers/late", `{}`)
	late := []*follower{
		watchStream(t, "a viewer that came late", web, "", nil),
		watchConsumer(t, "late", web, token, dice(6)),
	}
	mustWait(t, watch, held, slices.Concat(readers, late), had, b.hub)
	others := gather(t, db.URL(), 4, 1_000_000) // they write until the server dies
	waitFor(t, "the others to have committed", func() bool { return len(others.acknowledged()) >= 40 })
	if err := db.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	acknowledged = append(acknowledged, others.stop()...)
	if err := db.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	watch = connect(t, db.URL())
	want := outbox(t, watch)[before:]
	contain(t, "the outbox", want, acknowledged)
	if slices.Contains(want, "f0 2") {
		t.Error("the held writer's note is there")
	}
	// Each of the four may have had one more on the way, whose answer died.
	if unknown := len(want) - had - len(acknowledged); unknown < 0 || unknown > 4 {
		t.Errorf("%d notes more than were acknowledged", unknown)
	}
	comment(t, watch, "f0", "the last")
	want = append(want, "f0 2")
	same(t, "the outbox", outbox(t, watch)[before:], want)
	for _, f := range readers {
		same(t, f.name, f.upTo(t, last(want)), want)
	}
	for _, f := range late {
		same(t, f.name, f.upTo(t, last(want)), want[had:])
	}
	waitFor(t, "the process to have the last", func() bool { return slices.Contains(written(t, file), last(want)) })
	same(t, "the process", oncePerSeq(written(t, file)), want)
	t.Logf("%d readers, %d notes each, %d of them while the writer was open", len(readers)+len(late)+1, len(want), len(want)-had-1)
}

// OB-02, C-117: a standby is promoted while a writer is held on the primary, which lives on and goes on writing. What was
// replicated above the horizon comes on the new primary, once and in order; what the old one committed later, the held
// writer first of all, is not there, and its ids are given out again.
func TestOB02HeldWriterPromotion(t *testing.T) {
	db := harness.NewProcess(t, postgres.Options{})
	token := layOut(t, db.URL())
	b := serve(t, db.URL(), token, nil)
	promote := streamingStandby(t, db)
	watch := connect(t, db.URL())
	before := len(outbox(t, watch))
	start := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	b.must(t, http.MethodPut, "/consumers/stats", `{}`)
	// Its cursor is below the horizon when it changes to the new primary, so it means the same there.
	cursor := func(url, from string) *follower {
		return watchSQL(t, "SQL with road.notes", url, byNotes, from, dice(1))
	}
	for range 5 {
		comment(t, watch, "f1", "before")
	}
	had := b.consume(t, "stats", 2)
	read := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	same(t, "SQL on the old primary", cursor(db.URL(), start).upTo(t, last(had)), had)

	held := hold(t, db.URL())
	others := gather(t, db.URL(), 4, size(20, 250)).done(t)
	keepOpen(t, watch, held)
	mustWait(t, watch, held, nil, 0, b.hub)
	if got := b.consume(t, "stats", 7); len(got) > 0 {
		t.Errorf("the consumer passed an open transaction: %v", got)
	}
	mark := value[string](t, watch, "select pg_current_wal_flush_lsn()::text")
	waitFor(t, "the standby to have what was committed", func() bool {
		return value[bool](t, watch, "select exists (select from pg_stat_replication r where r.application_name = 'standby' and r.replay_lsn >= $1::text::pg_lsn)", mark)
	})
	standby := promote()
	// The old primary does not know yet. Nothing of this is on the new one.
	gather(t, db.URL(), 4, 5).done(t)
	exec(t, held, "commit")
	if lost := b.consume(t, "stats", 7); !slices.Contains(lost, "f0 2") {
		t.Errorf("the old primary's consumer did not get the held note: %v", lost)
	}
	ahead := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	most := value[int64](t, watch, "select max(n.xid::text::bigint) from road.note n")

	n := serve(t, standby.URL, token, nil)
	watch = connect(t, standby.URL)
	if got := value[int](t, watch, "select timeline from road.cluster_identity()"); got != 2 {
		t.Fatalf("timeline %d, want 2", got)
	}
	mustNeedRebase(t, n)
	streams := []*stream{reloaded(t, n.web, read), reloaded(t, n.web, ahead)}
	begun := len(outbox(t, watch))
	rebase(t, standby.URL, hold(t, standby.URL)) // its f0 2 is another than the one that was lost
	again := gather(t, standby.URL, 4, 5).done(t)
	comment(t, watch, "f0", "the last")
	all := outbox(t, watch)
	want := all[before:]
	contain(t, "the new primary", want, slices.Concat(had, others, again))
	if len(want) != len(had)+len(others)+len(again)+2 {
		t.Errorf("%d notes on the new primary, want %d", len(want), len(had)+len(others)+len(again)+2)
	}
	if !value[bool](t, watch, "select exists (select from road.note n where n.id > (select min(m.id) from road.note m where m.at > (select f.rebased_at from road.feed f)) and n.xid::text::bigint <= $1)", most) {
		t.Error("no id was given out again: this does not test what it is for")
	}
	same(t, "the consumer", slices.Concat(had, n.consume(t, "stats", 7)), want)
	same(t, "SQL with road.notes", slices.Concat(had, cursor(standby.URL, read).upTo(t, last(want))), want)
	for i, s := range streams {
		got, _ := s.mustRead(t, len(all)-begun)
		same(t, fmt.Sprintf("viewer %d", i), got, all[begun:])
	}
	same(t, "SQL that begins anew", watchSQL(t, "SQL that begins anew", standby.URL, byPage, anew(t, n), dice(2)).upTo(t, last(want)), all)
	t.Logf("%d notes waited above the horizon; %d lost with the old primary; %d on the new one", len(others), 21, len(want))
}

// OB-02, C-117: a dump is taken while a writer is held, and restored. What others had committed above the horizon is in it
// and comes; the held writer's note is not. A writer is held on the new cluster too, while the rebase begins. What comes
// twice is known by its seq.
func TestOB02HeldWriterDump(t *testing.T) {
	old := harness.NewProcess(t, postgres.Options{})
	burn(t, connect(t, old.URL()))
	token := layOut(t, old.URL())
	b := serve(t, old.URL(), token, nil)
	watch := connect(t, old.URL())
	before := len(outbox(t, watch))
	b.must(t, http.MethodPut, "/consumers/stats", `{}`)
	b.must(t, http.MethodPut, "/consumers/none", `{}`)
	// Two writers whose notes have other ids than their transactions' order has, as it may be with any two at a time: each
	// session takes ids in stock. The consumer stops between them.
	exec(t, watch, "alter sequence road.note_id_seq cache 10")
	one, other := connect(t, old.URL()), connect(t, old.URL())
	comment(t, one, "f1", "first in both orders")
	comment(t, other, "f2", "second by transaction, and an id above the third's")
	page := b.must(t, http.MethodGet, "/consumers/stats/notes", "")
	had := items(page)
	comment(t, one, "f3", "third by transaction, and an id below the second's")
	exec(t, watch, "alter sequence road.note_id_seq cache 1") // for new sessions: of one subject the ids have to grow
	b.must(t, http.MethodPost, "/consumers/stats/acknowledge", fmt.Sprintf(`{"position": %q}`, page["next"]))
	read := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)

	held := hold(t, old.URL())
	others := gather(t, old.URL(), 4, size(20, 250)).done(t)
	keepOpen(t, watch, held)
	mustWait(t, watch, held, nil, 0, b.hub)
	restored := restoreDump(t, old.URL())
	exec(t, held, "commit")

	n := serve(t, restored, token, nil)
	watch = connect(t, restored)
	waitFor(t, "the stream to say that it needs a rebase", func() bool {
		_, err := open(t, n.web+"/notes", "")
		return err != nil && strings.Contains(err.Error(), "needs_rebase")
	})
	mustNeedRebase(t, n)
	held = hold(t, restored)
	again := gather(t, restored, 4, 5).done(t)
	rebase(t, restored, held)
	waitFor(t, "the stream to serve again", func() bool {
		s, err := open(t, n.web+"/notes", "")
		if err == nil {
			s.close()
		}
		return err == nil
	})
	s := reloaded(t, n.web, read)
	from := anew(t, n)
	comment(t, watch, "f0", "the last")
	if got, _ := s.mustRead(t, 1); got[0] != "f0 3" {
		t.Errorf("the viewer got %v", got)
	}
	all := outbox(t, watch)
	want := all[before:]
	contain(t, "the restored database", want, slices.Concat(had, others, again))
	if len(want) != len(had)+1+len(others)+len(again)+2 {
		t.Errorf("%d notes in the restored database, want %d", len(want), len(had)+1+len(others)+len(again)+2)
	}
	same(t, "a consumer that had nothing", n.consume(t, "none", 7), want)
	rest := n.consume(t, "stats", 7)
	if twice := len(had) + len(rest) - len(want); twice != 1 {
		t.Errorf("%d notes came twice, want one: this does not test what it is for", twice)
	}
	kept := oncePerSeq(slices.Concat(had, rest))
	inOrder(t, "the consumer", kept)
	same(t, "the consumer", slices.Sorted(slices.Values(kept)), slices.Sorted(slices.Values(want)))
	same(t, "SQL that begins anew", watchSQL(t, "SQL that begins anew", restored, byPage, from, dice(2)).upTo(t, last(all)), all)
	t.Logf("%d notes waited above the horizon when the dump was taken; %d in the restored database", len(others), len(want))
}

// mustNeedRebase asks that the consumer stats is refused, and told why.
func mustNeedRebase(t testing.TB, b *bed) {
	t.Helper()
	if status, said := b.call(t, http.MethodGet, "/consumers/stats/notes", ""); status != http.StatusConflict || !strings.Contains(said["detail"].(string), "umpire ops rebase") {
		t.Errorf("the consumer: %d %v", status, said)
	}
}

// reloaded opens a stream with a position of another cluster or timeline, and reads up to where it says so.
func reloaded(t testing.TB, web, position string) *stream {
	t.Helper()
	s := mustOpen(t, web+"/notes?after="+position, "")
	t.Cleanup(s.close)
	s.mustNext(t, "hello")
	if f := s.mustNext(t, "reload"); !strings.Contains(f.data, "other_cluster") {
		t.Errorf("%+v", f)
	}
	return s
}

// anew is the position before all notes, in the cluster and timeline that a server is in.
func anew(t testing.TB, b *bed) string {
	t.Helper()
	p, err := feed.ParsePosition(b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string))
	if err != nil {
		t.Fatal(err)
	}
	p.Place = feed.Place{}
	return p.String()
}
