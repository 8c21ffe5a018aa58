// Package race_test proves the rules of the road with real sessions that get in each other's way. Nothing sleeps: a
// session is known to wait when Postgres says so.
//
// Each rule is a check: an ordinary test function over a bed (a database with two events and some fixtures). TestRules
// runs every check; TestMutations breaks one line of one function at a time and sees the check turn red.
package race_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"umpire/functions"
	"umpire/tests/harness"
)

// limit bounds everything that is waited for. Reaching it is a failure, never a measurement.
const limit = 15 * time.Second

// A check fails its t when the rule does not hold.
type check func(t testing.TB, b *bed)

// bed is a database as laid out by layOut.
type bed struct {
	url  string
	keys atomic.Int64
}

// layOut fills an empty database: events cup and bowl; under cup the fixtures final and semi, in their first half; under
// bowl the fixture other. Senders scorer (may act for others) and rival. Last, a command that touches any subjects:
//
//	pair.touch {"others": [uuid, …]}    logs on its fixture and on all others, in whatever order they are named
func layOut(t testing.TB, url string) {
	t.Helper()
	conn := connect(t, url, nil)
	dispatchers, err := fs.ReadFile(functions.FS, "road/dispatchers.sql")
	if err != nil {
		t.Fatal(err)
	}
	exec(t, conn, `
		create function sport.pair_touch(cmd road.call) returns jsonb language sql as $$
		    select jsonb_build_object('note', cmd.input, 'further', coalesce(jsonb_object_agg(u.id::text, cmd.input), '{}'))
		    from unnest(cmd.further) u (id)
		$$;
		create function sport.pair_touch_locks(cmd road.call) returns road.lock_request language sql as $$
		    select row (array(select o::uuid from jsonb_array_elements_text(cmd.input -> 'others') o), null, '{}'::text[])::road.lock_request
		$$;
		insert into road.workflow values ('pair', 'For tests.');
		insert into road.catalogue_command (workflow, code, kind, level, handler, locks, input_schema, example, summary)
		values ('pair', 'touch', 'fixture', 'none', 'sport.pair_touch', 'sport.pair_touch_locks', '{}', '{}', 'Touches several subjects.');`)
	exec(t, conn, string(dispatchers))
	exec(t, conn, `
		alter function sport.pair_touch owner to umpire_owner;
		alter function sport.pair_touch_locks owner to umpire_owner;
		select road.sender_add('scorer', sha256('scorer'), null, null, true, true);
		select road.sender_add('rival', sha256('rival'));
		select road.execute('scorer', 'event', 'event', 'cup', 'create', 'lay-1', '{"name": "Cup"}');
		select road.execute('scorer', 'event', 'event', 'bowl', 'create', 'lay-2', '{"name": "Bowl"}');
		select road.execute('scorer', 'event', 'event', 'cup', 'fixture_put', 'lay-' || f, jsonb_build_object('fixture', f, 'sport', 'football', 'home', 'Reds', 'away', 'Blues'),
		        jsonb_build_object('rows', jsonb_build_object('fixture/' || f || '/schedule', null)))
		from unnest(array['final', 'semi']) f;
		select road.execute('scorer', 'event', 'event', 'bowl', 'fixture_put', 'lay-other', '{"fixture": "other", "sport": "football", "home": "Reds", "away": "Blues"}', '{"rows": {"fixture/other/schedule": null}}');
		select road.execute('scorer', 'football', 'fixture', f, 'period_start', 'lay-play-' || f, '{"period": "H1"}', '{"play": null}')
		from unnest(array['final', 'semi']) f;`)
	if n := value[int](t, conn, "select count(*)::int from road.command where outcome = 'accepted'"); n != 7 {
		t.Fatalf("the bed was not laid out: %d of 7 commands accepted", n)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// clone copies a laid-out database that nobody is connected to. Unlike the harness's own it may be left broken.
func clone(t testing.TB, from string) *bed {
	t.Helper()
	u, err := url.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s_%d", path.Base(u.Path), clones.Add(1))
	admin := func(sql string) {
		maintenance := *u
		maintenance.Path = "/postgres"
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
		defer cancel()
		conn, err := pgx.Connect(ctx, maintenance.String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(ctx) }()
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	// Two clones of one database cannot be made at once.
	cloning.Lock()
	defer cloning.Unlock()
	admin("create database " + name + " template " + path.Base(u.Path))
	c := *u
	c.Path = "/" + name
	t.Cleanup(func() {
		harness.Coverage(t, c.String())
		admin("drop database " + name + " with (force)")
	})
	return &bed{url: c.String()}
}

var (
	clones  atomic.Int64
	cloning sync.Mutex
)

func connect(t testing.TB, url string, settings map[string]string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range settings {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_ = conn.Close(ctx)
	})
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	// the simple protocol takes several statements
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
}

func value[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var v T
	if err := conn.QueryRow(ctx, sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	return v
}

func values[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) []T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", firstLine(sql), err)
	}
	return all
}

func firstLine(sql string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(sql), "\n")
	return line
}

// session is one sender's connection.
type session struct {
	*pgx.Conn
	bed *bed
}

func (b *bed) session(t testing.TB) *session {
	t.Helper()
	return b.sessionWith(t, nil)
}

func (b *bed) sessionWith(t testing.TB, settings map[string]string) *session {
	t.Helper()
	return &session{Conn: connect(t, b.url, settings), bed: b}
}

// impatient is a session whose own lock_timeout never strikes: only a function's can. Without one the statement ends with
// 57014.
func (b *bed) impatient(t testing.TB) *session {
	t.Helper()
	return b.sessionWith(t, map[string]string{"lock_timeout": "0", "statement_timeout": "5s"})
}

// command is one command; what is not said is what a plain scorer would say.
type command struct {
	what, ref, input, saw, key, sender, actor string
	token                                     []byte
}

// note is the plainest of commands: one subject, no version.
func note(ref string) command { return command{what: "fixture.note", ref: ref, input: `{"text": "x"}`} }

// goal states the last play that the sender saw.
func goal(ref string, saw int) command {
	return command{what: "football.goal", ref: ref, input: `{"side": "home", "minute": 5}`, saw: fmt.Sprintf(`{"play": %d}`, saw)}
}

// put creates or edits a fixture under the event cup; saw is the schedule's version or null.
func put(fixture, venue, saw string) command {
	return command{
		what: "event.fixture_put", ref: "cup",
		input: fmt.Sprintf(`{"fixture": %q, "sport": "football", "home": "Reds", "away": "Blues", "venue": %q}`, fixture, venue),
		saw:   fmt.Sprintf(`{"rows": {"fixture/%s/schedule": %s}}`, fixture, saw),
	}
}

func touch(ref string, others ...string) command {
	input, err := json.Marshal(map[string]any{"others": others})
	if err != nil {
		panic(err) // strings always marshal
	}
	return command{what: "pair.touch", ref: ref, input: string(input)}
}

func (c command) under(key string) command { c.key = key; return c }
func (c command) by(sender, actor string) command {
	c.sender, c.actor = sender, actor
	return c
}

// answer is what the road said, or why it said nothing.
type answer struct {
	brief string // "accepted", "refused not_running", "error 55P03"
	body  string
	seq   int64
	err   error
}

// where is the context of a database error.
func (a answer) where() string {
	var pgErr *pgconn.PgError
	if errors.As(a.err, &pgErr) {
		return pgErr.Where
	}
	return ""
}

// try sends a command within whatever transaction is open; without one it commits by itself.
func (s *session) try(ctx context.Context, c command) answer {
	if c.key == "" {
		c.key = fmt.Sprintf("key-%d", s.bed.keys.Add(1))
	}
	if c.sender == "" {
		c.sender = "scorer"
	}
	workflow, code, _ := strings.Cut(c.what, ".")
	kind := "fixture"
	if workflow == "event" {
		kind = "event"
	}
	var saw any
	if c.saw != "" {
		saw = c.saw
	}
	var outcome string
	var a answer
	var reason *string
	var seq *int64
	a.err = s.QueryRow(ctx, `
		select r.outcome, r.answer::text, r.answer #>> '{reason,code}', (r.answer ->> 'seq')::bigint
		from road.execute(
		    p_sender => $1, p_workflow => $2, p_kind => $3, p_ref => $4, p_code => $5, p_command_id => $6,
		    p_input => $7, p_saw => $8, p_actor => $9, p_token_sha256 => $10) r`,
		c.sender, workflow, kind, c.ref, code, c.key, c.input, saw, c.actor, c.token).Scan(&outcome, &a.body, &reason, &seq)
	var pgErr *pgconn.PgError
	switch {
	case errors.As(a.err, &pgErr):
		return answer{brief: "error " + pgErr.Code, err: a.err}
	case a.err != nil:
		return answer{brief: "error", err: a.err}
	}
	a.brief = outcome
	if reason != nil {
		a.brief += " " + *reason
	}
	if seq != nil {
		a.seq = *seq
	}
	return a
}

// send is try with the limit.
func (s *session) send(t testing.TB, c command) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return s.try(ctx, c)
}

// want sends a command and fails when the answer is another.
func (s *session) want(t testing.TB, c command, brief string) answer {
	t.Helper()
	a := s.send(t, c)
	a.must(t, brief)
	return a
}

func (a answer) must(t testing.TB, brief string) {
	t.Helper()
	if a.brief != brief {
		t.Fatalf("want %s, got %s %s %v", brief, a.brief, a.body, a.err)
	}
}

func (s *session) begin(t testing.TB)    { t.Helper(); exec(t, s.Conn, "begin") }
func (s *session) commit(t testing.TB)   { t.Helper(); exec(t, s.Conn, "commit") }
func (s *session) rollback(t testing.TB) { t.Helper(); exec(t, s.Conn, "rollback") }

// sent is a command on its way.
type sent struct {
	session *session
	done    chan struct{}
	got     answer
}

// start sends a command and goes on.
func (s *session) start(t testing.TB, c command) *sent {
	t.Helper()
	p := &sent{session: s, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	go func() {
		defer close(p.done)
		p.got = s.try(ctx, c)
	}()
	t.Cleanup(func() {
		cancel() // whoever still waits is not wanted any more
		<-p.done
	})
	return p
}

// waits returns once Postgres says that the command waits for a lock; a command that is answered instead fails the test.
func (p *sent) waits(t testing.TB) {
	t.Helper()
	watch := connect(t, p.session.bed.url, nil)
	defer func() { _ = watch.Close(t.Context()) }()
	pid := int32(p.session.PgConn().PID())
	for {
		select {
		case <-p.done:
			t.Fatalf("should wait for a lock, but was answered: %s %s %v", p.got.brief, p.got.body, p.got.err)
		default:
		}
		if value[bool](t, watch, `
			select exists (select from pg_stat_activity a where a.pid = $1 and a.wait_event_type = 'Lock')
			   and cardinality(pg_blocking_pids($1)) > 0`, pid) {
			return
		}
	}
}

// answer waits until the command is answered.
func (p *sent) answer(t testing.TB) answer {
	t.Helper()
	select {
	case <-p.done:
		return p.got
	case <-time.After(2 * limit):
		t.Fatal("was never answered")
		return answer{}
	}
}

// patient lets several subjects, a key, or a reference that is being created be waited for as long as a test needs.
func (b *bed) patient(t testing.TB) {
	t.Helper()
	conn := connect(t, b.url, nil)
	exec(t, conn, "alter function road.lock_subjects(uuid[]) set lock_timeout = '10s'; alter function road.lock_key(bigint) set lock_timeout = '10s'; "+
		"alter function road.create_subjects(text, uuid, text[]) set lock_timeout = '10s'")
}

func (s *session) subject(t testing.TB, ref string) string {
	t.Helper()
	return value[string](t, s.Conn, "select subject_id::text from road.subject where ref = $1", ref)
}

// probe is a testing.TB that keeps a failure to itself, so that a test can say that another one fails.
type probe struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (p *probe) fail(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, text)
}

func (p *probe) Error(args ...any)                 { p.fail(fmt.Sprint(args...)) }
func (p *probe) Errorf(format string, args ...any) { p.fail(fmt.Sprintf(format, args...)) }
func (p *probe) Fail()                             { p.fail("failed") }
func (p *probe) FailNow()                          { p.fail("failed"); runtime.Goexit() }
func (p *probe) Fatal(args ...any)                 { p.fail(fmt.Sprint(args...)); runtime.Goexit() }
func (p *probe) Fatalf(format string, args ...any) {
	p.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}
func (p *probe) Log(...any)          {}
func (p *probe) Logf(string, ...any) {}
func (p *probe) Failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failures) > 0
}

func (p *probe) Cleanup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, f)
}

// failuresOf runs a check and returns what it had to complain about.
func failuresOf(t testing.TB, c check, b *bed) []string {
	p := &probe{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// In its turn, Goexit runs this.
		defer func() {
			for i := len(p.cleanups) - 1; i >= 0; i-- {
				p.cleanups[i]()
			}
		}()
		c(p, b)
	}()
	<-done
	return p.failures
}
