package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/feed"
)

// follower is one reader of the outbox, of whatever kind, in a goroutine of its own. It comes back after every fault that
// a crash excuses, and ends at the first answer that nothing excuses.
type follower struct {
	name  string
	looks atomic.Int64 // answers that it got
	polls atomic.Bool  // it asks again when there is nothing
	ended chan struct{}

	mu     sync.Mutex
	notes  []string // "ref seq", as they came
	faults []error  // what it came back from
	wrong  error    // what ended it
}

// wrongError is what nothing excuses: a reload that nobody should need, a frame that should not be.
type wrongError struct{ error }

func wrong(format string, args ...any) error { return wrongError{fmt.Errorf(format, args...)} }

// follow lets read run until the test ends, again and again. It returns when the reader has had its first answer: it is
// there before whatever comes next.
func follow(t testing.TB, name string, read func(ctx context.Context, f *follower) error) *follower {
	t.Helper()
	f := &follower{name: name, ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); <-f.ended })
	go func() {
		defer close(f.ended)
		for ctx.Err() == nil {
			err := read(ctx, f)
			if err == nil || ctx.Err() != nil {
				continue
			}
			f.mu.Lock()
			final := errors.As(err, new(wrongError))
			if final {
				f.wrong = err
			} else {
				f.faults = append(f.faults, err)
			}
			f.mu.Unlock()
			if final {
				return
			}
			pause(ctx)
		}
	}()
	f.mustLook(t, 1)
	return f
}

// pause is a reader's own between two looks, and not a test's wait.
func pause(ctx context.Context) {
	timer := time.NewTimer(5 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (f *follower) take(note string) {
	f.mu.Lock()
	f.notes = append(f.notes, note)
	f.mu.Unlock()
}

// got are the notes that it has by now.
func (f *follower) got() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}

// until waits for a state of the reader.
func (f *follower) until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); {
		f.mu.Lock()
		wrong, faults, notes := f.wrong, f.faults, len(f.notes)
		f.mu.Unlock()
		if wrong != nil {
			t.Fatalf("%s, with %d notes: %v", f.name, notes, wrong)
		}
		if time.Now().After(end) {
			t.Fatalf("%s, with %d notes, does not come to %s; it came back from %d faults: %v", f.name, notes, what, len(faults), errors.Join(faults[max(0, len(faults)-3):]...))
		}
		pause(t.Context())
	}
}

// mustLook waits for so many more answers.
func (f *follower) mustLook(t testing.TB, more int64) {
	t.Helper()
	from := f.looks.Load()
	if more == 1 && from > 0 {
		return
	}
	f.until(t, "another look", func() bool { return f.looks.Load() >= from+more })
}

// upTo waits for a note, and gives everything that came until then.
func (f *follower) upTo(t testing.TB, note string) []string {
	t.Helper()
	f.until(t, note, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.notes) > 0 && f.notes[len(f.notes)-1] == note
	})
	return f.got()
}

// mustBeSteady fails a reader that had to come back from anything.
func (f *follower) mustBeSteady(t testing.TB) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.faults) > 0 {
		t.Errorf("%s: %v", f.name, errors.Join(f.faults...))
	}
}

// watchStream follows GET /notes, at the place where the server is now; after "" it begins at what comes next. With an rng
// it leaves now and then; it comes back where it was (SS-12): by the header, or by the address when the page opens the
// stream anew.
func watchStream(t testing.TB, name string, web func() string, after string, rng *rand.Rand) *follower {
	t.Helper()
	last := ""
	return follow(t, name, func(ctx context.Context, f *follower) error {
		url, header := web()+"/notes", last
		if after != "" && (header == "" || rng != nil && rng.IntN(2) == 0) {
			url, header = url+"?after="+after, ""
		}
		s, err := openStream(ctx, url, header)
		if err != nil {
			return err
		}
		defer s.close()
		for left := stay(rng); left != 0; {
			frame, err := s.next()
			switch {
			case err != nil:
				return err
			case frame.event == "bye":
				return fmt.Errorf("bye %s", frame.data)
			case frame.event == "hello" && !frame.hasID:
				var hello struct{ Position string }
				if err := json.Unmarshal([]byte(frame.data), &hello); err != nil {
					return wrongError{err}
				}
				if last == "" && after == "" {
					after = hello.Position
				}
				f.looks.Add(1)
			case frame.event == "note" && frame.hasID:
				note, err := frame.parse()
				if err != nil {
					return wrongError{err}
				}
				f.take(note)
				last, after = frame.id, frame.id
				left--
			default:
				return wrong("an unexpected frame: %+v", frame)
			}
		}
		return nil
	})
}

// stay is how many notes a reader takes before it leaves.
func stay(rng *rand.Rand) int {
	if rng == nil {
		return -1
	}
	return 1 + rng.IntN(30)
}

// watchHub follows a hub in this process, as the live stream does. With an rng it leaves now and then, also in the middle
// of a page.
func watchHub(t testing.TB, name string, hub *feed.Hub, position string, rng *rand.Rand) *follower {
	t.Helper()
	return follow(t, name, func(ctx context.Context, f *follower) error {
		v, reload, err := hub.View(ctx, position)
		if err != nil {
			return err
		}
		defer v.Close()
		if reload != "" {
			return wrong("a reload at the start: %s", reload)
		}
		position = v.Position().String()
		f.looks.Add(1)
		for left := stay(rng); ctx.Err() == nil; {
			notes, more, reload, err := v.Next(ctx)
			if err != nil {
				return err
			}
			if reload != "" {
				return wrong("a reload: %s", reload)
			}
			for _, n := range notes {
				f.take(fmt.Sprintf("%s %d", n.Ref, n.Seq))
				position = n.Position()
				if left--; left == 0 {
					return nil
				}
			}
			if len(notes) > 0 || more == nil {
				continue
			}
			select {
			case <-ctx.Done():
			case <-more:
			}
		}
		return nil
	})
}

// dice are a test's own: the same in every run.
func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// keepOpen keeps a writer's transaction open, in the long version for longer than every pause and time-out that a reader
// has.
func keepOpen(t testing.TB, watch, held *pgx.Conn) {
	t.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	said := 0
	for {
		seconds := value[int](t, watch, `select (extract(epoch from clock_timestamp() - a.xact_start))::int from pg_stat_activity a where a.pid = $1`, int32(held.PgConn().PID()))
		if seconds >= size(0, 60) {
			return
		}
		if seconds/10 > said {
			said = seconds / 10
			t.Logf("the writer is open for %d s", seconds)
		}
		<-look.C
	}
}

// mustWait asks that an open writer holds the horizon, with notes above it, and that none of the readers has more than it
// had before, though each has looked since.
func mustWait(t testing.TB, watch, held *pgx.Conn, readers []*follower, had int, hub *feed.Hub) {
	t.Helper()
	waitFor(t, "the writer to be what holds the horizon, with notes above it", func() bool { // a vacuum may hold it too, for a moment
		return value[bool](t, watch, `select p.more_above and p.horizon = a.backend_xid::text::xid8
			from road.feed_page('0', 0, 0) p, pg_stat_activity a where a.pid = $1`, int32(held.PgConn().PID()))
	})
	if hub != nil {
		from := hub.Stats().Polls
		waitFor(t, "the hub to look twice", func() bool { return hub.Stats().Polls >= from+2 })
	}
	for _, f := range readers {
		if f.polls.Load() {
			f.mustLook(t, 2)
		}
		if got := f.got(); len(got) > had {
			t.Errorf("%s passed an open transaction: %v", f.name, got[had:])
		}
	}
}

// placed is a note with its place, for whoever keeps a cursor.
type placed struct {
	feed.Place
	note string
}

// pageOf asks for the next notes in SQL.
type pageOf func(ctx context.Context, conn *pgx.Conn, after feed.Position, limit int) ([]placed, error)

// byNotes reads with road.notes, which says nothing of the cluster.
func byNotes(ctx context.Context, conn *pgx.Conn, after feed.Position, limit int) ([]placed, error) {
	rows, err := conn.Query(ctx, `select n.note_xid::text, n.note_id, n.ref || ' ' || n.seq from road.notes($1::text::xid8, $2, $3) n`,
		strconv.FormatUint(after.XID, 10), after.ID, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p placed, err error) {
		var xid string
		if err = row.Scan(&xid, &p.ID, &p.note); err == nil {
			p.XID, err = strconv.ParseUint(xid, 10, 64)
		}
		return p, err
	})
}

// byPage reads with road.feed_page, and goes by what that says of the cluster and of the horizon.
func byPage(ctx context.Context, conn *pgx.Conn, after feed.Position, limit int) ([]placed, error) {
	var horizon string
	var here feed.Identity
	var raw []byte
	err := conn.QueryRow(ctx, `select p.horizon::text, p.system_identifier, p.timeline, p.notes::text from road.feed_page($1::text::xid8, $2, $3) p`,
		strconv.FormatUint(after.XID, 10), after.ID, limit).Scan(&horizon, &here.System, &here.Timeline, &raw)
	if err != nil {
		return nil, err
	}
	if here != after.Identity {
		return nil, wrong("another cluster or timeline")
	}
	before, err := strconv.ParseUint(horizon, 10, 64)
	if err != nil {
		return nil, err
	}
	var items []struct {
		XID string
		ID  int64
		Ref string
		Seq int64
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	page := make([]placed, len(items))
	for i, n := range items {
		xid, err := strconv.ParseUint(n.XID, 10, 64)
		if err != nil {
			return nil, err
		}
		if xid >= before {
			return nil, wrong("%s %d has the id %d, and the horizon of its page is %d", n.Ref, n.Seq, xid, before)
		}
		page[i] = placed{feed.Place{XID: xid, ID: n.ID}, fmt.Sprintf("%s %d", n.Ref, n.Seq)}
	}
	return page, nil
}

// watchSQL pages through the outbox as umpire_reader, with a cursor of its own and pages of 1 to 7.
func watchSQL(t testing.TB, name, url string, page pageOf, from string, rng *rand.Rand) *follower {
	t.Helper()
	cursor, err := feed.ParsePosition(from)
	if err != nil {
		t.Fatal(err)
	}
	return follow(t, name, func(ctx context.Context, f *follower) error {
		config, err := pgx.ParseConfig(url)
		if err != nil {
			return wrongError{err}
		}
		config.RuntimeParams["role"] = "umpire_reader"
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = conn.Close(ctx)
		}()
		for {
			notes, err := page(ctx, conn, cursor, 1+rng.IntN(7))
			if err != nil {
				return err
			}
			f.looks.Add(1)
			for _, n := range notes {
				f.take(n.note)
				cursor.Place = n.Place
			}
			f.polls.Store(true)
			if len(notes) == 0 {
				pause(ctx)
			}
		}
	})
}

// watchConsumer reads a durable consumer over HTTP, in pages of 1 to 7. It has a page when it has read it, so it asks
// for the next one only when the acknowledgement was answered.
func watchConsumer(t testing.TB, name string, web func() string, token string, rng *rand.Rand) *follower {
	t.Helper()
	unacknowledged := ""
	return follow(t, "the consumer "+name, func(ctx context.Context, f *follower) error {
		must := func(method, path, body string) (map[string]any, error) {
			status, got, err := ask(ctx, method, web()+path, token, body)
			switch {
			case err != nil:
				return nil, err
			case status == http.StatusServiceUnavailable:
				return nil, fmt.Errorf("%d %v", status, got)
			case status != http.StatusOK:
				return nil, wrong("%s %s: %d %v", method, path, status, got)
			}
			f.looks.Add(1)
			return got, nil
		}
		for {
			if unacknowledged != "" {
				if _, err := must(http.MethodPost, "/consumers/"+name+"/acknowledge", fmt.Sprintf(`{"position": %q}`, unacknowledged)); err != nil {
					return err
				}
				unacknowledged = ""
			}
			page, err := must(http.MethodGet, fmt.Sprintf("/consumers/%s/notes?limit=%d", name, 1+rng.IntN(7)), "")
			if err != nil {
				return err
			}
			for _, note := range items(page) {
				f.take(note)
			}
			f.polls.Store(true)
			if unacknowledged, _ = page["next"].(string); unacknowledged == "" {
				pause(ctx)
			}
		}
	})
}

// crowd is writers who commit at the same time, on f1 to f3 only: f0 is for whoever holds its row.
type crowd struct {
	busy   sync.WaitGroup
	cancel context.CancelFunc

	mu   sync.Mutex
	said []string // the notes that were acknowledged
	err  error    // the first thing that stopped one of them
}

// gather lets writers commit so many notes each.
func gather(t testing.TB, url string, writers, each int) *crowd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
	t.Cleanup(cancel)
	c := &crowd{cancel: cancel}
	for w := range writers {
		conn := connect(t, url)
		c.busy.Go(func() {
			for i := range each {
				ref := fmt.Sprintf("f%d", 1+(w+i)%3)
				seq, err := trySend(ctx, conn, "fixture", "fixture", ref, "note", `{"text": "x"}`, "")
				c.mu.Lock()
				if err == nil {
					c.said = append(c.said, fmt.Sprintf("%s %d", ref, seq))
				} else if c.err == nil {
					c.err = err
				}
				c.mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	return c
}

// acknowledged are the notes that were acknowledged by now.
func (c *crowd) acknowledged() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// stop ends them after their server was killed. Not all of them need notice by themselves: a session that is at work goes on
// without its server for a while.
func (c *crowd) stop() []string {
	c.cancel()
	c.busy.Wait()
	return c.acknowledged()
}

// done waits for all of them to have committed all.
func (c *crowd) done(t testing.TB) []string {
	t.Helper()
	c.busy.Wait()
	if c.err != nil {
		t.Fatal(c.err)
	}
	return c.acknowledged()
}

// settle commits some notes and waits until each of the readers has them.
func settle(t testing.TB, conn *pgx.Conn, ref string, readers []*follower) (had int) {
	t.Helper()
	const n = 5
	for range n {
		comment(t, conn, ref, "before")
	}
	upTo := last(outbox(t, conn))
	for _, f := range readers {
		f.upTo(t, upTo)
	}
	return n
}

// hold begins a transaction that has a note on f0, and leaves it open.
func hold(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn := connect(t, url)
	exec(t, conn, "begin")
	comment(t, conn, "f0", "held")
	return conn
}

// outbox are the notes that were committed, straight from the table, in the order that readers are to get them in. Of each
// subject there has to be every number, once and in order.
func outbox(t testing.TB, conn *pgx.Conn) []string {
	t.Helper()
	notes := texts(t, conn, "select s.ref || ' ' || n.seq from road.note n join road.subject s on s.subject_id = n.subject_id order by n.xid, n.id")
	inOrder(t, "the outbox", notes)
	return notes
}

// inOrder asks that each subject's notes come by their number, and none is left out after its first.
func inOrder(t testing.TB, who string, notes []string) {
	t.Helper()
	before := map[string]int64{}
	for _, note := range notes {
		ref, number, _ := strings.Cut(note, " ")
		seq, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if last, known := before[ref]; known && seq != last+1 {
			t.Errorf("%s: %s after number %d", who, note, last)
		}
		before[ref] = seq
	}
}

// contain says whether every note of part is in all.
func contain(t testing.TB, what string, all, part []string) {
	t.Helper()
	has := make(map[string]bool, len(all))
	for _, note := range all {
		has[note] = true
	}
	for _, note := range part {
		if !has[note] {
			t.Errorf("%s: %s was acknowledged and is not there", what, note)
		}
	}
}

// oncePerSeq are the notes without those that came before: what a reader keeps of a list in which some come twice.
func oncePerSeq(notes []string) (once []string) {
	has := make(map[string]bool, len(notes))
	for _, note := range notes {
		if !has[note] {
			once = append(once, note)
		}
		has[note] = true
	}
	return once
}
