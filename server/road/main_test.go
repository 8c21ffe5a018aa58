package road

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// patience bounds what a test waits for in this process; reaching it is a failure.
const patience = 30 * time.Second

// world is a database with one sender, one event and one fixture in it.
type world struct {
	*harness.DB
	admin  *pgx.Conn
	sender Sender
	token  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldIn(t, harness.New(t))
}

func newWorldIn(t *testing.T, db *harness.DB) *world {
	t.Helper()
	w := &world{DB: db, admin: db.Conn(t)}
	token, hash := NewToken()
	w.token = token
	w.sender = Sender{Name: "desk", TokenSHA256: hash, MayAct: true, MayReadLog: true}
	if err := AddSender(t.Context(), w.admin, NewSender{Name: "desk", TokenSHA256: hash, MayAct: true, MayReadLog: true}); err != nil {
		t.Fatal(err)
	}
	r := w.open(t, nil)
	w.expect(t, r.Execute(t.Context(), w.command("event", "event", "cup", "create", "e1", `{"name":"Cup"}`)), Accepted, "")
	put := w.command("event", "event", "cup", "fixture_put", "f1", `{"fixture":"final","sport":"football","home":"A","away":"B"}`)
	put.Saw = json.RawMessage(`{"rows":{"fixture/final/schedule":null}}`)
	w.expect(t, r.Execute(t.Context(), put), Accepted, "")
	return w
}

// open opens a road whose pools have one connection each, unless change says otherwise.
func (w *world) open(t *testing.T, change func(*Options)) *Road {
	t.Helper()
	one := PoolOptions{MaxConns: 1}
	o := Options{URL: w.URL(), Command: one, Import: one, Read: one, Work: one}
	if change != nil {
		change(&o)
	}
	r, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func (w *world) command(workflow, kind, ref, code, key, input string) Command {
	return Command{
		Sender: w.sender.Name, TokenSHA256: w.sender.TokenSHA256, Workflow: workflow, Kind: kind, Ref: ref, Code: code, Key: key,
		Input: json.RawMessage(input),
	}
}

// line is the plainest command there is.
func (w *world) line(key, text string) Command {
	return w.command("fixture", "fixture", "final", "note", key, `{"text":"`+text+`"}`)
}

func (w *world) expect(t *testing.T, a Answer, outcome Outcome, reason string) {
	t.Helper()
	if a.Outcome != outcome || a.Reason != reason {
		t.Fatalf("got %s %q, want %s %q: %s", a.Outcome, a.Reason, outcome, reason, a.Body)
	}
	var body struct {
		Outcome      Outcome
		RetryAfterMS *int64 `json:"retry_after_ms"`
		Reason       *struct{ Code string }
		First        *struct{ Outcome Outcome }
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatalf("body %s: %v", a.Body, err)
	}
	switch {
	case body.Outcome != outcome,
		(outcome == TryAgain) != (body.RetryAfterMS != nil),
		outcome == TryAgain && *body.RetryAfterMS != a.RetryAfter.Milliseconds(),
		reason != "" && (body.Reason == nil || body.Reason.Code != reason),
		outcome == Duplicate && (body.First == nil || body.First.Outcome != a.First):
		t.Fatalf("the answer %+v and its body %s differ", a, a.Body)
	}
}

func (w *world) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := w.admin.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (w *world) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	if err := w.admin.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// onInsert adds a trigger that runs body for each row inserted into road.command, or with deferred at COMMIT.
func (w *world) onInsert(t *testing.T, deferred bool, body string) {
	t.Helper()
	kind := "trigger on_insert before insert on road.command"
	if deferred {
		kind = "constraint trigger on_insert after insert on road.command deferrable initially deferred"
	}
	w.exec(t, `create or replace function public.on_insert() returns trigger language plpgsql as $$ begin `+body+` return new; end $$`)
	w.exec(t, `create `+kind+` for each row execute function public.on_insert()`)
}

func (w *world) noTrigger(t *testing.T) {
	t.Helper()
	w.exec(t, `drop trigger on_insert on road.command`)
}

// waiting waits until n backends of the command pool wait for a lock, and returns one of them.
func (w *world) waiting(t *testing.T, n int) (pid int32) {
	t.Helper()
	const q = `from pg_stat_activity where datname = current_database() and application_name like 'umpire:command%' and wait_event_type = 'Lock'`
	w.WaitFor(t, `select count(*) = $1 `+q, n)
	if n == 1 {
		if err := w.admin.QueryRow(t.Context(), `select pid `+q).Scan(&pid); err != nil {
			t.Fatal(err)
		}
	}
	return pid
}

// start runs a command beside the test.
func start(t *testing.T, r *Road, c Command) <-chan Answer {
	t.Helper()
	answer := make(chan Answer, 1)
	go func() { answer <- r.Execute(context.Background(), c) }()
	return answer
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// until asks until yes says so.
func until(t *testing.T, what string, yes func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for !yes() {
		if time.Now().After(end) {
			t.Fatalf("%s: never", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// wire watches the connections of one pool.
type wire struct {
	trips atomic.Int64 // times that something was sent after something was received
	cut   atomic.Bool  // lose the next answer, and the connection with it
}

func (w *wire) configure(pool PoolName) func(PoolName, *pgxpool.Config) {
	return func(name PoolName, c *pgxpool.Config) {
		if name != pool {
			return
		}
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &watched{Conn: conn, wire: w}, nil
		}
	}
}

type watched struct {
	net.Conn
	wire    *wire
	mu      sync.Mutex
	sending bool
}

func (c *watched) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.sending {
		c.sending = true
		c.wire.trips.Add(1)
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *watched) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	c.sending = false
	c.mu.Unlock()
	if n > 0 && c.wire.cut.CompareAndSwap(true, false) {
		_ = c.Close()
		return 0, fmt.Errorf("reading: %w", net.ErrClosed)
	}
	return n, err
}

// calls counts the calls of road.execute.
type calls struct{ n atomic.Int64 }

func (c *calls) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if d.SQL == executeStatement {
		c.n.Add(1)
	}
	return ctx
}

func (c *calls) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *calls) configure(_ PoolName, p *pgxpool.Config) { p.ConnConfig.Tracer = c }
