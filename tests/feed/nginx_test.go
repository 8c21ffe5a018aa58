package feed_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"umpire/client"
	"umpire/server/api"
	"umpire/server/feed"
)

// nginx starts one with its defaults for proxies, and with compression of everything, in front of the server.
func nginx(t *testing.T, upstream string) string {
	t.Helper()
	program, err := osexec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed, so streams through a proxy are not tested here; apt-get install nginx-light brings it")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`
daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
    access_log off; gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;
    client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
    server { listen %[2]s; location / { proxy_pass %[3]s; } }
}`, dir, address, upstream)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(program, "-c", config, "-p", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waitFor(t, "nginx", func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// SS-08: through a proxy with its defaults the first byte comes at once, nothing is held back, nothing is compressed.
func TestSS08ThroughNginx(t *testing.T) {
	b, _ := newBed(t, nil)
	proxy := nginx(t, b.web)
	s := mustOpen(t, proxy+"/notes", "")
	if got := s.response.Header; got.Get("Content-Encoding") != "identity" || !strings.HasPrefix(got.Get("Content-Type"), "text/event-stream") {
		t.Errorf("%v", got)
	}
	s.mustNext(t, "hello") // at once: nothing has happened yet
	direct := mustOpen(t, b.web+"/notes", "")
	if direct.response.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("no X-Accel-Buffering: no")
	}
	direct.close()
	conn := connect(t, b.url)
	before := len(allNotes(t, conn))
	for range 5 {
		comment(t, conn, "f1", "x")
		s.mustRead(t, 1) // before anything follows that could push it out
	}
	if got := len(allNotes(t, conn)); got != before+5 {
		t.Errorf("%d notes, want %d", got, before+5)
	}
	s.close()
}

// tally counts what the viewers of one run went through.
type tally struct {
	sent, reconnects, byHeader, byAddress, byBoth, misled, half, hard, away, byes, refused atomic.Int64

	held   atomic.Int64           // scorers who wait for the viewers
	over   atomic.Bool            // everything was sent
	newest atomic.Pointer[string] // the position of the viewer that stays
}

// keepUp lets a scorer wait for the slowest viewer: they are to lose their connections during play, not after it.
func (all *tally) keepUp(ctx context.Context, viewers []*browser) {
	all.sent.Add(1)
	behind := func() bool {
		slowest := int64(math.MaxInt64)
		for _, v := range viewers {
			slowest = min(slowest, v.seen.Load())
		}
		return all.sent.Load()-slowest >= int64(size(60, 500))
	}
	if !behind() {
		return
	}
	all.held.Add(1)
	defer all.held.Add(-1)
	for behind() && ctx.Err() == nil {
		pause(ctx)
	}
}

// browser is a viewer as an EventSource is one, on a line that breaks anywhere: what a cut leaves of a frame is thrown away,
// and only a whole one moves the last event id.
type browser struct {
	tally  *tally
	rng    *rand.Rand
	proxy  string // its address
	filter string // of the stream's address
	first  string // position that the page opened the stream with
	steady bool   // its line never breaks

	last   string // the last event id
	half   string // id of the note that a cut left half
	notes  []string
	boards boards
	seen   atomic.Int64 // notes of fixtures: each command has one
	ended  bool         // the last note has come
}

const (
	lastWord = "That is all."
	longest  = 4000 // bytes, some eight notes, after which a line is broken at the latest
)

func (v *browser) watch(ctx context.Context) error {
	for opened := false; !v.ended; opened = true {
		if opened {
			v.tally.reconnects.Add(1)
		}
		if err := v.once(ctx); err != nil {
			return fmt.Errorf("after %d notes, the last event id being %q: %w", len(v.notes), v.last, err)
		}
		if v.ended || v.rng.IntN(20) > 0 {
			continue
		}
		v.tally.away.Add(1) // until others are far ahead, or wait for us
		for until := v.tally.sent.Load() + int64(size(60, 500)); v.tally.sent.Load() < until && v.tally.held.Load() == 0 && !v.tally.over.Load() && ctx.Err() == nil; {
			pause(ctx)
		}
	}
	return nil
}

// request asks for what comes after the last event id, in one of the ways there are.
func (v *browser) request(ctx context.Context) (r *http.Request, from string, err error) {
	after, header := v.first, v.last
	switch {
	case v.last == "":
		header = ""
	default:
		switch v.rng.IntN(4) {
		case 0: // EventSource by itself: the address is as it was
			v.tally.byBoth.Add(1)
		case 1:
			v.tally.byHeader.Add(1)
			after = ""
		case 2: // SS-12: the page, which opens the stream anew
			v.tally.byAddress.Add(1)
			after, header = v.last, ""
		case 3: // an address that would skip what was missed
			v.tally.misled.Add(1)
			if newest := v.tally.newest.Load(); newest != nil {
				after = *newest
			}
		}
	}
	url := "http://" + v.proxy + "/notes?" + v.filter
	from = header
	if after != "" {
		url += "&after=" + after
	}
	if from == "" {
		from = after
	}
	if r, err = http.NewRequestWithContext(ctx, http.MethodGet, url, nil); err != nil {
		return nil, "", err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	if header != "" {
		r.Header.Set("Last-Event-ID", header)
	}
	return r, from, nil
}

// once is one connection, from its opening to its cut.
func (v *browser) once(ctx context.Context) (failed error) {
	r, from, err := v.request(ctx)
	if err != nil {
		return err
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", v.proxy)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	defer func() {
		if v.rng.IntN(2) == 0 {
			v.tally.hard.Add(1)
			_ = c.(*net.TCPConn).SetLinger(0) // RST
		}
		_ = c.Close()
	}()
	if err := r.Write(c); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusServiceUnavailable { // its database is away: it says so, and a page asks again
		v.tally.refused.Add(1)
		return nil
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	upToCut := &io.LimitedReader{R: response.Body, N: 1 + v.rng.Int64N(longest)}
	if v.steady {
		upToCut.N = math.MaxInt64
	}
	s := &stream{response: response, lines: bufio.NewReader(upToCut)}
	for said := ""; ; {
		f, err := s.next()
		switch {
		case err != nil && upToCut.N == 0:
			if f != (frame{}) {
				v.tally.half.Add(1)
			}
			if f.id != "" {
				v.half = f.id
			}
			return nil
		case err == io.EOF && said == "bye":
			return nil
		case err != nil:
			return fmt.Errorf("the stream was ended by somebody else, after %q: %w", said, err)
		case said == "bye":
			return fmt.Errorf("%+v after bye", f)
		case (f.event == "note") != f.hasID:
			return fmt.Errorf("only notes have an id, and all of them: %+v", f)
		case (f.event == "hello") != (said == ""):
			return fmt.Errorf("hello is what comes first: %+v after %q", f, said)
		}
		switch said = f.event; f.event {
		case "hello":
			if want := fmt.Sprintf(`"position":%q`, from); !strings.Contains(f.data, want) {
				return fmt.Errorf("it begins at %s, want %s", f.data, want)
			}
		case "bye":
			v.tally.byes.Add(1)
		case "note":
			if err := v.take(f); err != nil || v.ended {
				return err
			}
		default: // nothing was pruned and nobody is too far behind
			return fmt.Errorf("want no such frame: %+v", f)
		}
	}
}

func (v *browser) take(f frame) error {
	n, err := v.boards.take(f.data)
	if err != nil {
		return err
	}
	if v.half != "" && f.id != v.half {
		return fmt.Errorf("%s comes after a cut in the middle of %s", f.id, v.half)
	}
	v.half, v.last = "", f.id
	if v.steady {
		v.tally.newest.Store(&f.id)
	}
	v.notes = append(v.notes, n.name())
	if n.Subject.Kind == "fixture" {
		v.seen.Add(1)
	}
	v.ended = strings.Contains(f.data, lastWord)
	return nil
}

// C-018, SS-04, SS-08, SS-12: matches are played, and viewers behind a proxy lose their connection over and over: in the
// middle of a frame, with or without a goodbye, for a moment or until others are far ahead, while the server's own
// connections to Postgres are cut as well. They come back with the header, with the address, or with both. What each of
// them has in the end is the outbox: every note once and in order, and what its notes make is what the API shows.
func TestSS08ThroughNginxDuringPlay(t *testing.T) {
	begun := *seed
	if begun == 0 {
		begun = rand.Uint64()
	}
	t.Logf("-seed=%d", begun)
	b, _ := newBed(t, func(o *feed.Options, _ *api.StreamOptions) { o.Keep = size(16, 256) }) // who stays away reads from the database
	proxy := strings.TrimPrefix(nginx(t, b.web), "http://")
	conn := connect(t, b.url)
	laid := outboxJSON(t, conn)
	start := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(size(2, 20))*limit)
	defer cancel()

	var all tally
	var watching sync.WaitGroup
	viewers := make([]*browser, size(6, 12))
	for i := range viewers {
		_, before := fold(t, laid)
		v := &browser{tally: &all, rng: rand.New(rand.NewPCG(begun, uint64(i))), proxy: proxy, first: start, steady: i == 0, boards: before}
		if i%3 == 1 {
			v.filter = "kind=fixture"
		}
		viewers[i] = v
		watching.Go(func() {
			if err := v.watch(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("viewer %d (%q): %v", i, v.filter, err)
				cancel()
			}
		})
	}

	const atOnce = 4
	rounds := size(1, 24)
	for round := range rounds {
		var playing sync.WaitGroup
		for i := range atOnce {
			m := &match{
				desk: &client.Client{BaseURL: b.web, Token: b.token}, rng: rand.New(rand.NewPCG(begun, uint64(1000+atOnce*round+i))),
				ref: fmt.Sprintf("m%d-%d", round, i), sent: func() { all.keepUp(ctx, viewers) },
			}
			if i == 0 {
				m.halftime = func(ctx context.Context) error {
					_, err := conn.Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'umpire:feed'")
					return err
				}
			}
			playing.Go(func() {
				if err := m.run(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("match %s: %v", m.ref, err)
					cancel()
				}
			})
		}
		playing.Wait()
		if ctx.Err() != nil {
			break
		}
		if *soak && round%5 == 4 {
			t.Logf("%d of %d rounds played, %d reconnects", round+1, rounds, all.reconnects.Load())
		}
	}
	if ctx.Err() == nil {
		comment(t, conn, "f0", lastWord)
	}
	all.over.Store(true)
	watching.Wait()
	if t.Failed() || ctx.Err() != nil {
		t.Fatalf("%v; %d reconnects", ctx.Err(), all.reconnects.Load())
	}

	waitFor(t, "the server to count no viewer", func() bool { return b.hub.Stats().Viewers == 0 })

	names, made := fold(t, outboxJSON(t, conn))
	for i, v := range viewers {
		want := slices.Clone(names[len(laid):])
		if v.filter != "" {
			want = slices.DeleteFunc(want, func(name string) bool { return !strings.HasPrefix(name, "fixture/") })
		}
		same(t, fmt.Sprintf("viewer %d", i), v.notes, want)
		for name, b := range made {
			if got := v.boards[name]; (v.filter == "" || strings.HasPrefix(name, "fixture/")) && !reflect.DeepEqual(got, b) {
				t.Errorf("viewer %d shows %s as %+v, want %+v", i, name, got, b)
			}
		}
	}
	goals := 0
	for name, shown := range made {
		if !strings.HasPrefix(name, "fixture/m") {
			continue
		}
		goals += len(shown.Goals)
		var got struct {
			Seq  int64
			Data struct {
				Status string
				Score  struct {
					Period string
					Score  score
					People map[string]string
				}
			}
		}
		if err := (&client.Client{BaseURL: b.web}).Read(ctx, "fixture", strings.TrimPrefix(name, "fixture/"), "state", &got); err != nil {
			t.Fatal(err)
		}
		if d := got.Data; got.Seq != shown.Seq || d.Status != shown.Status || d.Score.Period != shown.Period || d.Score.Score != shown.Score || len(d.Score.People) != shown.Cards {
			t.Errorf("the API says of %s %+v, and the viewers show %+v", name, got, shown)
		}
	}
	t.Logf("%d matches, %d goals that count, %d notes; %d viewers, %d reconnects: by header %d, by address %d, by both %d, with an address that knows better %d; %d cuts within a frame, %d without a goodbye, %d times long away; %d byes, %d times refused",
		atOnce*rounds, goals, len(names)-len(laid), len(viewers), all.reconnects.Load(), all.byHeader.Load(), all.byAddress.Load(), all.byBoth.Load(), all.misled.Load(),
		all.half.Load(), all.hard.Load(), all.away.Load(), all.byes.Load(), all.refused.Load())
	for what, n := range map[string]*atomic.Int64{"by header": &all.byHeader, "by address": &all.byAddress, "by both": &all.byBoth, "misled": &all.misled, "half": &all.half, "hard": &all.hard} {
		if n.Load() == 0 {
			t.Errorf("%s: none", what)
		}
	}
	if least := int64(size(100, 10_000)); all.reconnects.Load() < least {
		t.Errorf("%d reconnects, want at least %d", all.reconnects.Load(), least)
	}
}
