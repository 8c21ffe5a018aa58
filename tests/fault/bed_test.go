package fault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/client"
	"umpire/server/road"
	"umpire/tests/harness"
)

// bed is a database with the event cup, some fixtures and the sender desk, a link to it, and gates on the way of a command.
type bed struct {
	*harness.DB
	link  *link
	token string
}

// gateLock is the advisory lock that a stopped command waits for.
const gateLock = 7001

// gates stop every command whose key begins with the name of a point and a dash, as long as somebody holds the lock:
//
//	locked    in road.execute, the subject and the key being locked
//	handler   in the command's own function
//	row       before the command row, everything else being written
//	commit    at COMMIT, everything being written
//
// The pool's lock_timeout is not to end the wait.
const gates = `
create function public.gate(p_point text, p_key text) returns void language plpgsql set lock_timeout = 0 as $$
begin
    if starts_with(p_key, p_point || '-') then
        perform pg_advisory_xact_lock_shared(7001);
    end if;
end $$;
do $$
declare
    v_execute text := pg_get_functiondef('road.execute'::regproc);
    v_handler text := pg_get_functiondef('sport.fixture_note'::regproc);
begin
    if v_execute !~ '    -- 4\. ' or v_handler !~ 'return jsonb_build_object' then
        raise exception 'the functions have changed: look for another place for the gates';
    end if;
    execute replace(v_execute, '    -- 4. ', '    perform public.gate(''locked'', p_command_id);' || chr(10) || '    -- 4. ');
    execute replace(v_handler, 'return jsonb_build_object', 'perform public.gate(''handler'', cmd.command_id); return jsonb_build_object');
end $$;
create function public.gate_of_row() returns trigger language plpgsql as $$ begin perform public.gate('row', new.command_id); return new; end $$;
create trigger gate_of_row before insert on road.command for each row execute function public.gate_of_row();
create function public.gate_of_commit() returns trigger language plpgsql as $$ begin perform public.gate('commit', new.command_id); return null; end $$;
create constraint trigger gate_of_commit after insert on road.command deferrable initially deferred for each row execute function public.gate_of_commit();
`

func newBed(t testing.TB, db *harness.DB, fixtures ...string) *bed {
	t.Helper()
	b := &bed{DB: db, link: newLink(t, db.URL())}
	token, hash := road.NewToken()
	b.token = token
	conn := db.Conn(t)
	if err := road.AddSender(t.Context(), conn, road.NewSender{Name: "desk", TokenSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	b.exec(t, gates)
	u := `select road.execute('desk', 'event', 'event', 'cup', 'create', 'lay-cup', '{"name": "Cup"}')`
	b.exec(t, u)
	for _, f := range append(fixtures, "final") {
		b.exec(t, fmt.Sprintf(`select road.execute('desk', 'event', 'event', 'cup', 'fixture_put', 'lay-%[1]s',
			'{"fixture": "%[1]s", "sport": "football", "home": "A", "away": "B"}', '{"rows": {"fixture/%[1]s/schedule": null}}')`, f))
	}
	if n := value[int](t, b, `select count(*)::int from road.command where outcome = 'accepted'`); n != len(fixtures)+2 {
		t.Fatalf("the bed was not laid out: %d accepted", n)
	}
	return b
}

// serve starts a server that reaches the database through the link.
func (b *bed) serve(t testing.TB, args ...string) *umpire {
	t.Helper()
	return serve(t, b.link.through(t, b.URL()), args...)
}

// exec runs statements on a connection of its own, so that it does not matter what was killed before.
func (b *bed) exec(t testing.TB, sql string) {
	t.Helper()
	execAt(t, b.URL(), sql)
}

func execAt(t testing.TB, url, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatalf("%.200s: %v", strings.TrimSpace(sql), err)
	}
}

func value[T any](t testing.TB, b *bed, sql string, args ...any) T {
	t.Helper()
	return valueAt[T](t, b.URL(), sql, args...)
}

func valueAt[T any](t testing.TB, url, sql string, args ...any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var v T
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, sql, args...).Scan(&v); err != nil {
		t.Fatalf("%.200s: %v", strings.TrimSpace(sql), err)
	}
	return v
}

// hold runs a statement in a transaction and keeps that open; release ends it, or does nothing when the connection is gone.
func (b *bed) hold(t testing.TB, sql string) (release func()) {
	t.Helper()
	conn := b.Conn(t)
	if _, err := conn.PgConn().Exec(t.Context(), "begin; "+sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
		defer cancel()
		_ = conn.Close(ctx)
	}
}

func (b *bed) closeGates(t testing.TB) (open func()) {
	t.Helper()
	return b.hold(t, fmt.Sprintf("select pg_advisory_xact_lock(%d)", gateLock))
}

// atGate waits until a command has stopped at a gate.
func (b *bed) atGate(t testing.TB) {
	t.Helper()
	b.WaitFor(t, `select exists (select from pg_locks where locktype = 'advisory' and objid = $1 and not granted)`, gateLock)
}

// command is one command as a sender has it.
type command struct {
	workflow, kind, ref, code, key, input, saw string
}

// line is the plainest command there is.
func line(key, text string) command {
	return command{workflow: "fixture", kind: "fixture", ref: "final", code: "note", key: key, input: fmt.Sprintf(`{"text": %q}`, text)}
}

func (c command) on(ref string) command { c.ref = ref; return c }

// answer is what a client sees of one request.
type answer struct {
	client.Answer
	status   int
	replayed bool
	err      error // no answer came
}

// brief is "accepted", "try_again commit_unknown", or "lost".
func (a answer) brief() string {
	switch {
	case a.err != nil:
		return "lost"
	case a.Reason != nil:
		return a.Outcome + " " + a.Reason.Code
	}
	return a.Outcome
}

func (a answer) String() string { return fmt.Sprintf("%s (%d, %v)", a.brief(), a.status, a.err) }

// post sends a command once.
func (b *bed) post(ctx context.Context, u *umpire, c command) (a answer) {
	body := map[string]json.RawMessage{"input": json.RawMessage(c.input)}
	body["key"], _ = json.Marshal(c.key)
	body["code"], _ = json.Marshal(c.code)
	if c.saw != "" {
		body["saw"] = json.RawMessage(c.saw)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return answer{err: err}
	}
	address := fmt.Sprintf("%s/workflows/%s/subjects/%s/%s/commands", u.url(), c.workflow, c.kind, c.ref)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return answer{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+b.token)
	// A connection of its own for each request: none is left over from a server that was killed.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err}
	}
	if err := json.Unmarshal(content, &a.Answer); err != nil {
		return answer{err: fmt.Errorf("status %d, not the one body: %w: %s", response.StatusCode, err, content)}
	}
	a.status, a.replayed = response.StatusCode, response.Header.Get("Idempotent-Replayed") == "true"
	if problem := a.untrue(); problem != nil {
		return answer{err: problem}
	}
	return a
}

// untrue says what is wrong with the form of an answer.
func (a answer) untrue() error {
	first := ""
	if a.First != nil {
		first = a.First.Outcome
	}
	switch a.Outcome {
	case "accepted":
		if a.status == 200 && a.Seq > 0 {
			return nil
		}
	case "duplicate":
		if a.replayed && (a.status == 200) == (first == "accepted") {
			return nil
		}
	case "refused", "conflict":
		if a.status >= 400 && a.status < 500 && a.Reason != nil {
			return nil
		}
	case "try_again":
		if (a.status == 503 || a.status == 500) && a.Reason != nil && a.RetryAfterMS > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s with status %d, reason %+v, first %q, retry after %d: no answer of the contract", a.Outcome, a.status, a.Reason, first, a.RetryAfterMS)
}

// start sends a command and goes on.
func (b *bed) start(ctx context.Context, u *umpire, c command) <-chan answer {
	got := make(chan answer, 1)
	go func() { got <- b.post(ctx, u, c) }()
	return got
}

// settle sends a command under the same key until it is decided, and returns what it was told before.
func (b *bed) settle(t testing.TB, u *umpire, c command) (a answer, before []string) {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		a = b.post(t.Context(), u, c)
		if a.err == nil && a.Outcome != "try_again" {
			return a, before
		}
		if before = append(before, a.brief()); time.Now().After(end) {
			t.Fatalf("%s is never decided: %d tries, the last %v", c.key, len(before), a)
		}
		pause(t, 30*time.Millisecond)
	}
}

// once checks that a key was applied exactly once.
func (b *bed) once(t testing.TB, key string) {
	t.Helper()
	onceAt(t, b.URL(), key)
}

func onceAt(t testing.TB, url, key string) {
	t.Helper()
	got := valueAt[string](t, url, `
		select format('%s commands, %s log rows, %s notes',
		    (select count(*) from road.command where command_id = $1 and outcome = 'accepted'),
		    (select count(*) from road.log where command_id = $1),
		    (select count(*) from road.note n join road.log l using (subject_id, seq) where l.command_id = $1))`, key)
	if got != "1 commands, 1 log rows, 1 notes" {
		t.Errorf("%s: %s", key, got)
	}
}

// sound asks road.invariants().
func (b *bed) sound(t testing.TB) {
	t.Helper()
	if broken := value[*string](t, b, `select string_agg(name || ': ' || detail, '; ') from road.invariants()`); broken != nil {
		t.Errorf("invariants: %s", *broken)
	}
}

// pause is for asking again a little later.
func pause(t testing.TB, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
		t.Fatal("the test is over")
	}
}

func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(limit):
		t.Fatalf("waiting in vain for %s", what)
		panic("unreachable")
	}
}

// until asks until yes says so.
func until(t testing.TB, what string, yes func() (bool, error)) {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		ok, err := yes()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: never (%v)", what, err)
		}
		pause(t, 10*time.Millisecond)
	}
}

// ready waits until the server says that it is.
func (u *umpire) ready(t testing.TB) { t.Helper(); u.says(t, "/ready", http.StatusOK) }

func (u *umpire) says(t testing.TB, path string, status int) {
	t.Helper()
	until(t, fmt.Sprintf("%s answers %d", path, status), func() (bool, error) {
		response, err := http.Get(u.url() + path)
		if err != nil {
			return false, err
		}
		_ = response.Body.Close()
		return response.StatusCode == status, errors.New(response.Status)
	})
}

// tryExec runs statements that may fail.
func (b *bed) tryExec(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if conn, err := pgx.Connect(ctx, b.URL()); err == nil {
		_, _ = conn.PgConn().Exec(ctx, sql).ReadAll()
		_ = conn.Close(ctx)
	}
}
