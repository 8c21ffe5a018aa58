package feed_test

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"umpire/server/api"
	"umpire/server/feed"
)

// SS-01: what a read shows and what the stream brings fit together: from the read's position nothing is missed, and what
// comes twice is known by its seq.
func TestSS01StreamBeginsAtTheRead(t *testing.T) {
	b, _ := newBed(t, nil)
	writer := connect(t, b.url)
	for range size(5, 100) {
		comment(t, writer, "f2", "before")
		read := b.must(t, http.MethodGet, "/subjects/fixture/f2", "")
		comment(t, writer, "f2", "between")
		s := mustOpen(t, b.web+"/notes?fixture=f2&after="+read["position"].(string), "")
		s.mustNext(t, "hello")
		got, _ := s.mustRead(t, 1)
		if want := fmt.Sprintf("f2 %d", int(read["seq"].(float64))+1); got[0] != want {
			t.Fatalf("got %s, want %s", got[0], want)
		}
		s.close()
	}
}

// A position that cannot be served is answered with a reload frame, never with silence; the stream goes on from there.
// Control frames never move the position.
func TestPositionsThatCannotBeServed(t *testing.T) {
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Keep, o.MaxReplay = 1, 1 })
	conn := connect(t, b.url)
	here := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	p, err := feed.ParsePosition(here)
	if err != nil {
		t.Fatal(err)
	}
	other, promoted, ahead, behind := p, p, p, p
	other.System++
	promoted.Timeline++
	ahead.XID += 1 << 40
	behind.XID, behind.ID = 0, 0
	for _, c := range []struct{ name, position, reason string }{
		{"garbage", "garbage", "unknown_position"},
		{"another form", "00" + here, "unknown_position"},
		{"another cluster", other.String(), "other_cluster"},
		{"another timeline", promoted.String(), "other_cluster"},
		{"ahead of everything", ahead.String(), "unknown_position"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, byHeader := range []bool{true, false} {
				url, header := b.web+"/notes?after="+c.position, ""
				if byHeader {
					url, header = b.web+"/notes", c.position
				}
				s := mustOpen(t, url, header)
				hello, reload := s.mustNext(t, "hello"), s.mustNext(t, "reload")
				if !strings.Contains(reload.data, c.reason) || reload.hasID || hello.hasID {
					t.Errorf("%+v %+v", hello, reload)
				}
				comment(t, conn, "f3", "after the reload")
				s.mustRead(t, 1)
				s.close()
			}
		})
	}
	t.Run("too far behind", func(t *testing.T) {
		exec(t, conn, "insert into road.sender (sender, token_sha256) select 'filler', sha256('filler')")
		for range 600 {
			comment(t, conn, "f3", "x")
		}
		// The poller has seen them all, and keeps only the last, once a viewer gets what came after them.
		live := mustOpen(t, b.web+"/notes", "")
		defer live.close()
		live.mustNext(t, "hello")
		comment(t, conn, "f0", "marker")
		for f := live.mustNext(t, "note"); !strings.Contains(f.data, "marker"); f = live.mustNext(t, "note") {
		}
		s := mustOpen(t, b.web+"/notes", behind.String())
		defer s.close()
		s.mustNext(t, "hello")
		n := 0
		for {
			f, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			if f.event == "reload" {
				if !strings.Contains(f.data, "too_far_behind") {
					t.Errorf("%+v", f)
				}
				break
			}
			n++
		}
		if n != 500 {
			t.Errorf("%d notes before the reload, want one page", n)
		}
	})
	t.Run("pruned", func(t *testing.T) {
		exec(t, conn, "update road.note set at = now() - interval '40 days' where seq = 1; update road.log set at = now() - interval '40 days' where seq = 1; select road.prune_notes()")
		if value[int64](t, conn, "select pruned_count from road.feed") == 0 {
			t.Fatal("nothing was pruned")
		}
		comment(t, conn, "f1", "x")
		s := mustOpen(t, b.web+"/notes", behind.String())
		defer s.close()
		s.mustNext(t, "hello")
		if f := s.mustNext(t, "reload"); !strings.Contains(f.data, "pruned") {
			t.Errorf("%+v", f)
		}
	})
}

// Filters by event, fixture and kind; a parameter that is not there is an error, not nothing.
func TestFilters(t *testing.T) {
	b, _ := newBed(t, nil)
	start := "?after=" + b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	conn := connect(t, b.url)
	send(t, conn, "event", "event", "bowl", "create", `{"name": "Bowl"}`, "")
	send(t, conn, "event", "event", "bowl", "fixture_put", `{"fixture": "g", "sport": "football", "home": "A", "away": "B"}`, `{"rows": {"fixture/g/schedule": null}}`)
	comment(t, conn, "f1", "x")
	comment(t, conn, "f2", "x")
	all := allNotes(t, conn)
	id := value[string](t, conn, "select subject_id::text from road.subject where ref = 'f1'")
	for filter, want := range map[string][]string{
		"":                                all[len(all)-5:],
		"&event=cup":                      {"f1 2", "f2 2"},
		"&event=cup&fixture=f2":           {"f2 2"},
		"&fixture=" + id:                  {"f1 2"},
		"&fixture=f1&fixture=f2":          {"f1 2", "f2 2"},
		"&kind=event":                     {"bowl 1", "bowl 2"},
		"&kind=fixture&event=bowl":        {"g 1"},
		"&event=cup&event=bowl&fixture=g": {"g 1"},
	} {
		s := mustOpen(t, b.web+"/notes"+start+filter, "")
		s.mustNext(t, "hello")
		got, _ := s.mustRead(t, len(want))
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", filter, got, want)
		}
		s.close()
	}
	for _, bad := range []string{"?fixtures=f1", "?event=a%20b", "?kind=Fixture", "?after=a&after=b"} {
		if _, err := open(t, b.web+"/notes"+bad, ""); err == nil || !strings.HasPrefix(err.Error(), "400") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Rights hold in replay as well as live: notes of a kind whose state is not open are for senders that may read logs, and
// for those of their events only.
func TestRightsAtReplay(t *testing.T) {
	b, db := newBed(t, nil)
	conn := connect(t, b.url)
	start := "?after=" + b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	exec(t, conn, "update road.catalogue_view set open = false where kind = 'fixture' and view = 'state'; select road.sender_add('limited', sha256('limited'), null, array['bowl'], false, true)")
	closed := serve(t, db.URL(), b.token, func(o *feed.Options, _ *api.StreamOptions) { o.Keep = 1 }) // with the catalogue as it is now
	for range 3 {
		comment(t, conn, "f1", "secret")
	}
	send(t, conn, "event", "event", "bowl", "create", `{"name": "Bowl"}`, "")
	for token, want := range map[string][]string{"": {"bowl 1"}, "limited": {"bowl 1"}, b.token: {"f1 2", "f1 3", "f1 4", "bowl 1"}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, closed.web+"/notes"+start, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		s := newStream(response)
		s.mustNext(t, "hello")
		if got, _ := s.mustRead(t, len(want)); !slices.Equal(got, want) {
			t.Errorf("token %.4q: got %v, want %v", token, got, want)
		}
		_ = response.Body.Close()
	}
	if status, _ := (&bed{web: b.web, token: "umt_nobody"}).call(t, http.MethodGet, "/notes", ""); status != http.StatusUnauthorized {
		t.Errorf("a token of nobody's: %d", status)
	}
}

// SS-06, SS-04: viewers that stop reading are dropped, and nobody else misses anything for them.
func TestSS06StalledViewersAreDropped(t *testing.T) {
	// Two hundred viewers and their server in one process take long to be heard: nobody healthy is to be dropped for that.
	timeout := time.Duration(size(200, 10_000)) * time.Millisecond
	b, _ := newBed(t, func(_ *feed.Options, s *api.StreamOptions) { s.WriteTimeout = timeout })
	conn := connect(t, b.url)
	const stalled = 5
	for range stalled {
		c, err := net.Dial("tcp", strings.TrimPrefix(b.web, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		if _, err := fmt.Fprintf(c, "GET /notes HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	good := make([]*stream, size(10, 200))
	for i := range good {
		good[i] = mustOpen(t, b.web+"/notes", "")
		good[i].mustNext(t, "hello")
	}
	for end := time.Now().Add(limit); b.hub.Stats().Viewers < len(good)+stalled; {
		if time.Now().After(end) {
			t.Fatalf("%d viewers", b.hub.Stats().Viewers)
		}
	}
	before := len(allNotes(t, conn))
	n := size(300, 1000)
	text := strings.Repeat("x", 400)
	done := make(chan []string, len(good))
	for _, s := range good {
		go func() {
			got, err := s.upTo(func(_ frame, had int) bool { return had == n })
			if err != nil {
				t.Errorf("a viewer that reads, after %d notes: %v", len(got), err)
			}
			done <- got
		}()
	}
	for range n {
		comment(t, conn, "f0", text)
	}
	want := allNotes(t, conn)[before:]
	for range good {
		same(t, "a viewer that reads", <-done, want)
	}
	for end := time.Now().Add(limit); b.hub.Stats().Viewers != len(good); {
		if time.Now().After(end) {
			t.Fatalf("%d viewers, want %d: those who do not read are still there", b.hub.Stats().Viewers, len(good))
		}
	}
	for _, s := range good {
		s.close()
	}
}

// C-018, SS-07: viewers cost the database nothing: one connection, and no statement but the poller's.
func TestOnePollerPerProcess(t *testing.T) {
	b, _ := newBed(t, nil)
	conn := connect(t, b.url)
	viewers := make([]*stream, size(100, 1000))
	for i := range viewers {
		viewers[i] = mustOpen(t, b.web+"/notes", "")
		defer viewers[i].close()
		viewers[i].mustNext(t, "hello")
	}
	for range 3 {
		comment(t, conn, "f0", "x")
	}
	for _, v := range viewers {
		v.mustRead(t, 3)
	}
	if n := value[int](t, conn, "select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'umpire:feed'"); n != 1 {
		t.Errorf("%d connections read the outbox for %d viewers, want 1", n, len(viewers))
	}
	if st := b.hub.Stats(); st.Viewers != len(viewers) {
		t.Errorf("%+v", st)
	}
}

// SS-07: streams end at once when the server stops, with a hint when to come back.
func TestSS07StopEndsStreams(t *testing.T) {
	b, _ := newBed(t, nil)
	streams := make([]*stream, size(20, 1000))
	for i := range streams {
		streams[i] = mustOpen(t, b.web+"/notes", "")
		streams[i].mustNext(t, "hello")
	}
	b.hub.Stop()
	for _, s := range streams {
		if f := s.mustNext(t, "bye"); !strings.Contains(f.data, "retry_ms") || f.hasID {
			t.Errorf("%+v", f)
		}
		if f, err := s.next(); err == nil {
			t.Errorf("after bye: %+v", f)
		}
	}
	if _, err := open(t, b.web+"/notes", ""); err == nil || !strings.HasPrefix(err.Error(), "503") {
		t.Errorf("a new stream while stopping: %v", err)
	}
}

// SS-07: neither the server's read nor its write time-out cuts a stream; a quiet one is kept alive by comments.
func TestSS07QuietStreamLives(t *testing.T) {
	b, _ := newBed(t, func(_ *feed.Options, s *api.StreamOptions) { s.Heartbeat = 20 * time.Millisecond },
		func(s *http.Server) { s.ReadTimeout, s.WriteTimeout = 150*time.Millisecond, 150*time.Millisecond })
	s := mustOpen(t, b.web+"/notes", "")
	defer s.close()
	s.mustNext(t, "hello")
	for range 20 { // twenty heartbeats take longer than either
		line, err := s.lines.ReadString('\n')
		for err == nil && !strings.HasPrefix(line, ":") {
			line, err = s.lines.ReadString('\n')
		}
		if err != nil {
			t.Fatalf("the stream was cut: %v", err)
		}
	}
	comment(t, connect(t, b.url), "f0", "x")
	s.mustRead(t, 1)
}

// A command through this server reaches its streams without waiting for the poller's next look.
func TestAcceptedWakesThePoller(t *testing.T) {
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Interval = 10 * time.Minute })
	s, err := open(t, b.web+"/notes", "")
	for end := time.Now().Add(limit); err != nil && time.Now().Before(end); { // the first look may not have come yet
		s, err = open(t, b.web+"/notes", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.mustNext(t, "hello")
	b.must(t, http.MethodPost, "/workflows/fixture/subjects/fixture/f0/commands", `{"key": "now", "code": "note", "input": {"text": "x"}}`)
	s.mustRead(t, 1)
}

// C-018: many commands wake the poller together, and without a viewer they do not wake it at all.
func TestManyWakeThePollerTogether(t *testing.T) {
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Interval = 10 * time.Minute })
	waitFor(t, "the first look", func() bool { return b.hub.Stats().Fault == nil })
	before := b.hub.Stats().Polls
	for i := range 20 {
		b.must(t, http.MethodPost, "/workflows/fixture/subjects/fixture/f0/commands", fmt.Sprintf(`{"key": "alone-%d", "code": "note", "input": {"text": "x"}}`, i))
	}
	if n := b.hub.Stats().Polls - before; n != 0 {
		t.Errorf("nobody looks, and the poller looked %d times", n)
	}
	s := mustOpen(t, b.web+"/notes", "")
	defer s.close()
	s.mustNext(t, "hello")
	waitFor(t, "a look for the first viewer", func() bool { return b.hub.Stats().Polls > before })
	before = b.hub.Stats().Polls
	begun := time.Now()
	const n = 100
	for i := range n {
		comment := fmt.Sprintf(`{"key": "together-%d", "code": "note", "input": {"text": "x"}}`, i)
		b.must(t, http.MethodPost, "/workflows/fixture/subjects/fixture/f0/commands", comment)
		b.hub.Wake()
	}
	// one at once, then one for each 10 ms that have passed
	if looks, most := b.hub.Stats().Polls-before, uint64(2+time.Since(begun)/(10*time.Millisecond)); looks > most {
		t.Errorf("%d looks for %d commands, want at most %d", looks, n, most)
	}
	for f, err := s.next(); ; f, err = s.next() {
		if err != nil {
			t.Fatal(err)
		}
		if f.event == "note" && f.note(t) == fmt.Sprintf("f0 %d", 1+20+n) {
			break
		}
	}
}
