package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// viewer is one reader of GET /notes that costs next to nothing: HTTP/1.0, which has no chunks, and no JSON.
type viewer struct {
	conn  net.Conn
	lines *bufio.Reader
}

// view opens a viewer and waits for its first frame.
func (s *server) view(ctx context.Context) (*viewer, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("opening a viewer: %w", err)
	}
	v := &viewer{conn: conn, lines: bufio.NewReader(conn)}
	if _, err := fmt.Fprint(conn, "GET /notes HTTP/1.0\r\nHost: x\r\n\r\n"); err != nil {
		return nil, fmt.Errorf("opening a viewer: %w", err)
	}
	for line := ""; line != "event: hello\n"; {
		if line, err = v.lines.ReadString('\n'); err != nil {
			return nil, fmt.Errorf("opening a viewer: %w", err)
		}
	}
	return v, nil
}

// feedLines are the lines of the feed: how late a note comes, what viewers cost the commands, what the reader reads.
func (b *bed) feedLines(ctx context.Context, s *server) error {
	for _, way := range []string{"through the server", "past the server"} {
		if err := b.noteToViewer(ctx, s, way); err != nil {
			return err
		}
	}
	if err := b.viewersCost(ctx, s); err != nil {
		return err
	}
	return b.outboxBuffers(ctx)
}

// noteToViewer sends 200 commands a second, each with its number in its text, and sees when their frames arrive.
func (b *bed) noteToViewer(ctx context.Context, s *server, way string) error {
	say("note to viewer, " + way)
	d := min(b.steady, 10*time.Second)
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	n := int(d.Seconds() * steadyRate)
	sent, answered, arrived := make([]time.Time, n), make([]time.Time, n), make([]time.Time, n)
	var seen atomic.Int64
	read := make(chan error, 1)
	go func() {
		for {
			line, err := v.lines.ReadSlice('\n')
			if err != nil {
				read <- err
				return
			}
			if parts := bytes.SplitN(line, []byte("@"), 3); bytes.HasPrefix(line, []byte("data: ")) && len(parts) == 3 {
				i, err := strconv.Atoi(string(parts[1]))
				if err != nil {
					read <- err
					return
				}
				arrived[i] = time.Now()
				seen.Add(1)
			}
		}
	}()
	past, err := pgxpool.New(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer past.Close()
	total, late, err := s.pace(ctx, d, func(c *sender, i int) error {
		input := fmt.Sprintf(`{"text": "@%d@ A long ball over the top finds the winger.", "minute": 12}`, i)
		ref := fmt.Sprintf("bench-%d", 16+i%steadyFixtures)
		var err error
		sent[i] = time.Now()
		if way == "through the server" {
			err = c.say(ref, input)
		} else {
			err = callPast(ctx, past, ref, input)
		}
		answered[i] = time.Now()
		return err
	})
	for deadline := time.Now().Add(10 * time.Second); err == nil && seen.Load() < int64(total); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			err = fmt.Errorf("the viewer saw %d of %d notes", seen.Load(), total)
		}
	}
	_ = v.conn.Close()
	if failed := <-read; err == nil && !errors.Is(failed, net.ErrClosed) && !errors.Is(failed, io.EOF) {
		err = failed
	}
	if err != nil {
		return err
	}
	fromSent, fromAnswer := make([]float64, 0, n), make([]float64, 0, n)
	for i, at := range arrived {
		if !at.IsZero() {
			fromSent = append(fromSent, at.Sub(sent[i]).Seconds()*1000)
			fromAnswer = append(fromAnswer, at.Sub(answered[i]).Seconds()*1000)
		}
	}
	fmt.Printf("| note to viewer, commands %s at %d/s (%d; %d not sent in time): from sending, p50 and p99 (from the answer: p50 %.1f, p99 %.1f ms) | %.1f ms | %.1f ms | | | |\n",
		way, steadyRate, total, late, quantile(fromAnswer, 0.5), quantile(fromAnswer, 0.99), quantile(fromSent, 0.5), quantile(fromSent, 0.99))
	return nil
}

// callPast executes a command without the server, so that its poller is not woken.
func callPast(ctx context.Context, pool *pgxpool.Pool, ref, input string) error {
	var outcome string
	err := pool.QueryRow(ctx, "select outcome from road.execute('bench', 'fixture', 'fixture', $1, 'note', gen_random_uuid()::text, $2)", ref, input).Scan(&outcome)
	if err == nil && outcome != "accepted" {
		err = errors.New(outcome)
	}
	return err
}

// viewersCost is the server's time for commands at 200 a second with 0, 1 and 1,000 viewers, in turns. The viewers read on
// the same cores.
func (b *bed) viewersCost(ctx context.Context, s *server) error {
	numbers := []int{0, 1, 1000}
	p50, p95 := map[int][]float64{}, map[int][]float64{}
	for round := range b.rounds {
		for i := range numbers {
			n := numbers[(i+round)%len(numbers)]
			say(fmt.Sprintf("commands beside %d viewers: round %d of %d", n, round+1, b.rounds))
			times, err := b.beside(ctx, s, n)
			if err != nil {
				return fmt.Errorf("beside %d viewers: %w", n, err)
			}
			p50[n], p95[n] = append(p50[n], quantile(times, 0.5)), append(p95[n], quantile(times, 0.95))
		}
	}
	for _, n := range numbers[1:] {
		x, y := quantile(p50[n], 0.5), quantile(p50[0], 0.5)
		fmt.Printf("| server time p50 at %d/s beside %d viewers / none (p95 %.2f, %.2f ms) | %.2f ms | %.2f ms | %.2f | | |\n",
			steadyRate, n, quantile(p95[n], 0.5), quantile(p95[0], 0.5), x, y, x/y)
	}
	return nil
}

func (b *bed) beside(ctx context.Context, s *server, viewers int) ([]float64, error) {
	var reading sync.WaitGroup
	var open []*viewer
	defer func() {
		for _, v := range open {
			_ = v.conn.Close()
		}
		reading.Wait()
	}()
	for range viewers {
		v, err := s.view(ctx)
		if err != nil {
			return nil, err
		}
		open = append(open, v)
		reading.Go(func() { _, _ = io.Copy(io.Discard, v.lines) }) // until it is closed
	}
	if _, err := s.times(); err != nil { // those of other lines
		return nil, err
	}
	sent, _, err := s.pace(ctx, b.each, func(c *sender, i int) error { return c.note(fmt.Sprintf("bench-%d", 16+i%steadyFixtures)) })
	if err != nil {
		return nil, err
	}
	return s.timesOf(sent)
}

// outboxBuffers is how many buffers the poller's statement touches for a page of 500 notes, in an outbox of 100,000.
func (b *bed) outboxBuffers(ctx context.Context) error {
	say("the reader's buffers: an outbox of 100,000 notes")
	admin, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	if _, err := admin.Exec(ctx, "create database bench_feed template template0"); err != nil {
		return fmt.Errorf("creating a database: %w", err)
	}
	url := b.cluster.URLFor("bench_feed")
	if err := b.prepare(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for range 1000 { // transactions, as readers meet them
		if _, err := conn.Exec(ctx, `
			insert into road.note (xid, subject_id, seq, at, workflow, code, body)
			select pg_current_xact_id(), s.subject_id, 1000, clock_timestamp(), 'fixture', 'note', $1::jsonb
			from road.subject s cross join generate_series(1, 2) where s.kind = 'fixture' order by s.ref limit 100`, line); err != nil {
			return fmt.Errorf("filling the outbox: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "vacuum analyze road.note"); err != nil {
		return fmt.Errorf("vacuuming: %w", err)
	}
	from := func(q float64) string { // so many notes before the end that a page of 500 fits
		return fmt.Sprintf("select n.xid::text, n.id from road.note n order by n.xid desc, n.id desc offset %d limit 1", int(q))
	}
	for _, step := range []struct{ what, do, position string }{
		{"in the middle", "", from(50_000)},
		{"the last ones", "", from(500)},
		{"none (nothing new)", "", from(0)},
		{"the first ones left, after the older half was pruned, not vacuumed yet", "delete from road.note n where n.id in (select o.id from road.note o order by o.xid, o.id limit 50000)", "select '0', 0::bigint"},
		{"the same, vacuumed", "vacuum road.note", "select '0', 0::bigint"},
	} {
		if step.do != "" {
			if _, err := conn.Exec(ctx, step.do); err != nil {
				return fmt.Errorf("%s: %w", step.what, err)
			}
		}
		buffers, notes, err := pageBuffers(ctx, conn, step.position)
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		fmt.Printf("| the reader's buffers for a page of %d: %s | %d | | | | |\n", notes, step.what, buffers)
	}
	return nil
}

// pageBuffers counts the buffers (hit or read) of the poller's statement for the page after a position.
func pageBuffers(ctx context.Context, conn *pgx.Conn, position string) (buffers, notes int, err error) {
	var xid string
	var id int64
	if err := conn.QueryRow(ctx, position).Scan(&xid, &id); err != nil {
		return 0, 0, fmt.Errorf("finding the position: %w", err)
	}
	if err := conn.QueryRow(ctx, "select jsonb_array_length(p.notes) from road.feed_page($1::text::xid8, $2, 500) p", xid, id).Scan(&notes); err != nil {
		return 0, 0, fmt.Errorf("reading the page: %w", err)
	}
	least := math.MaxInt
	for range 3 { // the first may still set hint bits
		var explained []byte
		// horizon alone would leave the page out
		if err := conn.QueryRow(ctx, "explain (analyze, buffers, format json) select p.notes, p.horizon from road.feed_page($1::text::xid8, $2, 500) p", xid, id).Scan(&explained); err != nil {
			return 0, 0, fmt.Errorf("explaining the page: %w", err)
		}
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		if err := json.Unmarshal(explained, &plans); err != nil || len(plans) != 1 {
			return 0, 0, fmt.Errorf("reading the plan: %w", err)
		}
		least = min(least, plans[0].Plan.Hit+plans[0].Plan.Read)
	}
	return least, notes, nil
}
