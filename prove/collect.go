package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// settle bounds how long readers may stay behind after the last command.
const settle = 30 * time.Second

// collect reads what is stored and shown, after the last command was answered.
func (r *run) collect(ctx context.Context, readers *readers) (*History, error) {
	h := &History{Ops: r.ops, Looks: r.looks, Faults: r.wire.faults, Saved: map[string]Saved{}}
	r.doing("reading the logs")
	token := r.Senders[0].Token
	rows := 0
	for _, f := range r.world.all {
		for _, ref := range f.events {
			if err := r.subject(ctx, h, token, "event", ref); err != nil {
				return nil, err
			}
		}
		for _, ref := range f.fixtures {
			if err := r.subject(ctx, h, token, "fixture", ref); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range h.Subjects {
		rows += len(s.Log)
	}
	r.doing("asking for every key whether it was saved")
	if err := r.saved(ctx, h); err != nil {
		return nil, err
	}
	r.doing("reading the outbox to its end")
	var err error
	if h.Readers, err = readers.finish(ctx, rows); err != nil {
		return nil, err
	}
	r.doing("replaying in the database")
	return h, r.verify(ctx, h)
}

func (r *run) doing(what string) {
	if r.Doing != nil {
		r.Doing(what)
	}
}

// subject reads a subject's log and, of a fixture, what it shows. One that was never created is left out.
func (r *run) subject(ctx context.Context, h *History, token, kind, ref string) error {
	bounded, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	s := Subject{Kind: kind, Ref: ref}
	path := "/subjects/" + kind + "/" + url.PathEscape(ref)
	found, err := r.wire.get(bounded, token, path, &s.View)
	if err != nil || !found {
		return err
	}
	for cursor := ""; ; {
		var page struct {
			Next *string `json:"next"`
			Data struct {
				Items []LogRow `json:"items"`
				Next  *string  `json:"next"`
			} `json:"data"`
		}
		query := "/log?limit=500"
		if cursor != "" {
			query += "&cursor=" + url.QueryEscape(cursor)
		}
		if found, err := r.wire.get(bounded, token, path+query, &page); err != nil || !found {
			return errors.Join(fmt.Errorf("the log of %s", s.name()), err)
		}
		s.Log = append(s.Log, page.Data.Items...)
		if page.Next == nil {
			page.Next = page.Data.Next
		}
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	h.Subjects = append(h.Subjects, s)
	return nil
}

// saved asks for every key that was used what is stored under it.
func (r *run) saved(ctx context.Context, h *History) error {
	keys := h.byKey()
	todo := make(chan Command)
	var mu sync.Mutex
	var failed error
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for c := range todo {
				path := "/commands/" + url.PathEscape(c.Key)
				if c.Actor != "" {
					path += "?actor=" + url.QueryEscape(c.Actor)
				}
				var body struct {
					First json.RawMessage `json:"first"`
				}
				bounded, cancel := context.WithTimeout(ctx, r.Patience)
				found, err := r.wire.get(bounded, r.sharing[c.Sender], path, &body)
				cancel()
				mu.Lock()
				failed = errors.Join(failed, err)
				h.Saved[c.identity()] = Saved{found, body.First}
				mu.Unlock()
			}
		})
	}
	for _, ops := range keys {
		todo <- ops[0].Command
	}
	close(todo)
	asking.Wait()
	return failed
}

// verify asks the database to replay our subjects, and for every invariant.
func (r *run) verify(ctx context.Context, h *History) error {
	conn, err := pgx.Connect(ctx, r.DatabaseURL)
	if err != nil {
		return fmt.Errorf("connecting to verify: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	after := "00000000-0000-0000-0000-000000000000"
	for {
		rows, err := conn.Query(ctx, "select subject_id::text, kind, ref, problem from road.verify($1, 200)", after)
		if err != nil {
			return fmt.Errorf("replaying: %w", err)
		}
		page := 0
		var kind, ref string
		var problem *string
		_, err = pgx.ForEachRow(rows, []any{&after, &kind, &ref, &problem}, func() error {
			page++
			if problem != nil && strings.HasPrefix(ref, r.Prefix+"-") {
				h.Replayed = append(h.Replayed, kind+"/"+ref+": "+*problem)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("replaying: %w", err)
		}
		if page < 200 {
			break
		}
	}
	rows, err := conn.Query(ctx, "select name || ': ' || detail from road.invariants() where name <> 'replay'")
	if err != nil {
		return fmt.Errorf("checking the invariants: %w", err)
	}
	h.Invariants, err = pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("checking the invariants: %w", err)
	}
	return nil
}

// readers follow the outbox while the senders send, each with pages of its own size. A connection that breaks is made
// anew, and the reader goes on where it was.
type readers struct {
	url, prefix string
	from        string // xid
	all         []*reader
	cancel      context.CancelFunc
	reading     sync.WaitGroup
}

type reader struct {
	limit int
	mu    sync.Mutex
	notes []Note
	xid   string
	id    int64
	empty int // pages
}

func startReaders(ctx context.Context, databaseURL, prefix string) (*readers, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("connecting to read the outbox: %w", err)
	}
	r := &readers{url: databaseURL, prefix: prefix}
	// Nothing of ours is older than the oldest transaction that runs now.
	err = conn.QueryRow(ctx, "select pg_snapshot_xmin(pg_current_snapshot())::text").Scan(&r.from)
	if closing := conn.Close(ctx); err != nil || closing != nil {
		return nil, fmt.Errorf("reading where the outbox is: %w", errors.Join(err, closing))
	}
	ctx, r.cancel = context.WithCancel(ctx)
	for _, limit := range []int{3, 20, 500} {
		one := &reader{limit: limit, xid: r.from}
		r.all = append(r.all, one)
		r.reading.Go(func() { r.follow(ctx, one) })
	}
	return r, nil
}

func (r *readers) stop() {
	r.cancel()
	r.reading.Wait()
}

func (r *readers) follow(ctx context.Context, one *reader) {
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, r.url)
		for err == nil {
			var n int
			n, err = one.page(ctx, conn, r.prefix)
			if err == nil && n < one.limit {
				err = pause(ctx, 20*time.Millisecond)
			}
		}
		if conn != nil {
			_ = conn.Close(context.WithoutCancel(ctx))
		}
		_ = pause(ctx, 50*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// page reads the next page. Its position moves only when the page came whole.
func (one *reader) page(ctx context.Context, conn *pgx.Conn, prefix string) (int, error) {
	one.mu.Lock()
	xid, id := one.xid, one.id
	one.mu.Unlock()
	rows, err := conn.Query(ctx, "select n.note_xid::text, n.note_id, n.kind, n.ref, n.seq, n.workflow, n.code from road.notes($1::text::xid8, $2, $3) n", xid, id, one.limit)
	if err != nil {
		return 0, err
	}
	var page []Note
	var note Note
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&xid, &id, &note.Kind, &note.Ref, &note.Seq, &note.Workflow, &note.Code}, func() error {
		n++
		if strings.HasPrefix(note.Ref, prefix+"-") {
			page = append(page, note)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.notes = append(one.notes, page...)
	one.xid, one.id = xid, id
	if n == 0 {
		one.empty++
	}
	return n, nil
}

// finish reads all once again from the start, as a reader that comes late, until that one has as many notes as there are
// log rows. Then those who followed the run have what they will ever get as soon as each has found nothing more.
func (r *readers) finish(ctx context.Context, want int) ([]Reader, error) {
	defer r.stop()
	conn, err := pgx.Connect(ctx, r.url)
	if err != nil {
		return nil, fmt.Errorf("connecting to read the outbox once more: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	until := time.Now().Add(settle)
	late := &reader{limit: 500, xid: r.from}
	for {
		n, err := late.page(ctx, conn, r.prefix)
		if err != nil {
			return nil, fmt.Errorf("reading the outbox once more: %w", err)
		}
		if len(late.notes) >= want || time.Now().After(until) {
			break
		}
		if n < late.limit {
			if err := pause(ctx, 20*time.Millisecond); err != nil {
				return nil, err
			}
		}
	}
	for _, one := range r.all {
		for before := one.emptyPages(); one.emptyPages() < before+2 && time.Now().Before(until); {
			if err := pause(ctx, 10*time.Millisecond); err != nil {
				return nil, err
			}
		}
	}
	r.stop()
	var got []Reader
	for _, one := range r.all {
		got = append(got, Reader{Name: fmt.Sprintf("with pages of %d", one.limit), Notes: one.notes})
	}
	return append(got, Reader{Name: "that came after the run", Notes: late.notes}), nil
}

func (one *reader) emptyPages() int {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.empty
}
