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

// viewersCost is what 0, 1 and 1,000 viewers cost, in turns: the server's time for commands at 200 a second, how many commands
// 16 senders get through, and how often the outbox is read meanwhile. The viewers read on the same cores.
func (b *bed) viewersCost(ctx context.Context, s *server) error {
	numbers := []int{0, 1, 1000}
	costs := map[int][]cost{}
	for round := range b.rounds {
		for i := range numbers {
			n := numbers[(i+round)%len(numbers)]
			say(fmt.Sprintf("commands beside %d viewers: round %d of %d", n, round+1, b.rounds))
			c, err := b.beside(ctx, s, n)
			if err != nil {
				return fmt.Errorf("beside %d viewers: %w", n, err)
			}
			costs[n] = append(costs[n], c)
		}
	}
	middle := func(n int, of func(cost) float64) float64 {
		var values []float64
		for _, c := range costs[n] {
			values = append(values, of(c))
		}
		return quantile(values, 0.5)
	}
	for _, n := range numbers[1:] {
		p95 := func(c cost) float64 { return c.p95 }
		x, y := middle(n, func(c cost) float64 { return c.p50 }), middle(0, func(c cost) float64 { return c.p50 })
		fmt.Printf("| server time p50 at %d/s beside %d viewers / none (p95 %.2f, %.2f ms) | %.2f ms | %.2f ms | %.2f | | |\n",
			steadyRate, n, middle(n, p95), middle(0, p95), x, y, x/y)
		x, y = middle(n, func(c cost) float64 { return c.perSecond }), middle(0, func(c cost) float64 { return c.perSecond })
		fmt.Printf("| 16 senders over HTTP beside %d viewers / none: throughput | %.0f/s | %.0f/s | %.2f | | |\n", n, x, y, x/y)
		x, y = middle(n, func(c cost) float64 { return c.reads }), middle(0, func(c cost) float64 { return c.reads })
		fmt.Printf("| reads of the outbox at %d/s beside %d viewers / none, counted in the database | %.0f/s | %.0f/s | %.2f | | |\n", steadyRate, n, x, y, x/y)
	}
	return nil
}

// cost is what was seen beside some viewers.
type cost struct {
	p50, p95  float64 // server time in ms at 200 commands a second
	reads     float64 // of the outbox, a second, meanwhile
	perSecond float64 // commands of 16 senders
}

func (b *bed) beside(ctx context.Context, s *server, viewers int) (cost, error) {
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
			return cost{}, err
		}
		open = append(open, v)
		reading.Go(func() { _, _ = io.Copy(io.Discard, v.lines) }) // until it is closed
	}
	if _, err := s.times(); err != nil { // those of other lines
		return cost{}, err
	}
	before, err := b.reads(ctx)
	if err != nil {
		return cost{}, err
	}
	begun := time.Now()
	sent, _, err := s.pace(ctx, b.each, func(c *sender, i int) error { return c.note(fmt.Sprintf("bench-%d", 16+i%steadyFixtures)) })
	if err != nil {
		return cost{}, err
	}
	times, err := s.timesOf(sent)
	if err != nil {
		return cost{}, err
	}
	took := time.Since(begun)
	after, err := b.reads(ctx)
	if err != nil {
		return cost{}, err
	}
	m, err := s.byHTTP(16, b.fixture)(ctx, b.each)
	return cost{p50: quantile(times, 0.5), p95: quantile(times, 0.95), reads: (after - before) / took.Seconds(), perSecond: m.perSecond}, err
}

// reads is how often the outbox was read since the database began: how often road.feed was scanned, by as often as one page
// of road.feed_page scans it. What a session has counted is there for others within a second; so a figure of a few seconds
// is off by that at the most.
func (b *bed) reads(ctx context.Context) (float64, error) {
	conn, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return 0, fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	const scans = " select x.seq_scan + coalesce(x.idx_scan, 0) from %s x where x.relid = 'road.feed'::regclass"
	var all, page int64
	err = conn.QueryRow(ctx, fmt.Sprintf(scans, "pg_stat_user_tables")).Scan(&all)
	if err == nil {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "select p.horizon, p.notes from road.feed_page('0', 0, 1) p"); err != nil {
				return err
			}
			return tx.QueryRow(ctx, fmt.Sprintf(scans, "pg_stat_xact_user_tables")).Scan(&page)
		})
	}
	if err == nil && page == 0 {
		err = errors.New("a page scans road.feed no more")
	}
	if err != nil {
		return 0, fmt.Errorf("counting reads: %w", err)
	}
	return float64(all) / float64(page), nil
}

// pruneAll prunes what is older than the job's 30 days, in the job's batches, each in a transaction of its own.
const pruneAll = `do $$
begin
    while road.prune_notes() > 0 loop
        commit;
    end loop;
end
$$`

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
	for i := range 1000 { // transactions, as readers meet them; the first half is old enough to be pruned
		if _, err := conn.Exec(ctx, `
			insert into road.note (xid, subject_id, seq, at, workflow, code, body)
			select pg_current_xact_id(), s.subject_id, 1000, clock_timestamp() - interval '31 days' * $2::integer, 'fixture', 'note', $1::jsonb
			from road.subject s cross join generate_series(1, 2) where s.kind = 'fixture' order by s.ref limit 100`, line, max(0, 1-i/500)); err != nil {
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
		{"the first ones left, after the older half was pruned, not vacuumed yet", pruneAll, "select '0', 0::bigint"},
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
