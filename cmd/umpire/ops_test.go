package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/tests/harness"
)

// umpire runs the command line against the test's database and returns what it printed.
func umpire(t *testing.T, db *harness.DB, args ...string) (string, error) {
	t.Helper()
	return umpireAt(t, db.URL(), args...)
}

func umpireAt(t *testing.T, url string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append(args, "--database-url", url), nil, &out)
	return out.String(), err
}

// login makes a role that may log in with a password, a member of one of ours, and returns the database's URL for it.
func login(t *testing.T, db *harness.DB, name, memberOf string) string {
	t.Helper()
	admin := db.Conn(t)
	name = fmt.Sprintf("%s_%d", name, admin.PgConn().PID())
	if _, err := admin.Exec(t.Context(), fmt.Sprintf("create role %s login password 'secret' in role %s", name, memberOf)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), "drop role "+name); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(db.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(name, "secret")
	return u.String()
}

// fixture makes an event with one fixture.
func fixture(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, sql := range []string{
		`select road.sender_add('scorer', sha256('scorer'))`,
		`select 1 / (outcome = 'accepted')::integer from road.execute('scorer', 'event', 'event', 'cup', 'create', 'e', '{"name": "Cup"}')`,
		`select 1 / (outcome = 'accepted')::integer from road.execute('scorer', 'event', 'event', 'cup', 'fixture_put', 'f',
			'{"fixture": "final", "sport": "football", "home": "A", "away": "B"}', '{"rows": {"fixture/final/schedule": null}}')`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// held is a lock on the fixture that one session holds and a command waits for.
type held struct {
	holder *pgx.Conn
	pid    uint32
	start  string
	waiter chan error // how the waiting command ended
}

func hold(t *testing.T, db *harness.DB) held {
	t.Helper()
	fixture(t, db.Conn(t))
	holder, err := pgx.Connect(t.Context(), login(t, db, "holder", "umpire_owner"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close(context.Background()) })
	h := held{holder: holder, waiter: make(chan error, 1)}
	h.pid = h.holder.PgConn().PID()
	for _, sql := range []string{"begin", "select last_seq from road.subject where kind = 'fixture' for no key update"} {
		if _, err := h.holder.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.holder.QueryRow(t.Context(), "select backend_start::text from pg_stat_activity where pid = pg_backend_pid()").Scan(&h.start); err != nil {
		t.Fatal(err)
	}
	waiter := db.ConnWith(t, func(c *pgx.ConnConfig) {
		c.RuntimeParams["application_name"] = "umpire:command"
		c.RuntimeParams["role"] = "umpire_app"
	})
	go func() {
		var outcome string
		err := waiter.QueryRow(context.Background(), `select outcome from road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'n', '{"text": "x"}')`).Scan(&outcome)
		if err == nil && outcome != "accepted" {
			err = fmt.Errorf("outcome %s", outcome)
		}
		h.waiter <- err
	}()
	db.WaitForLock(t, waiter.PgConn().PID())
	return h
}

// C-131: one statement says who blocks whom, one ends that session; it rolls back one command at most.
func TestC131BlockingAndUnblock(t *testing.T) {
	db := harness.New(t)
	h := hold(t, db)
	night := login(t, db, "night_operator", "umpire_ops")

	out, err := umpireAt(t, night, "ops", "blocking")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`blocked_command\s+fixture.note`, `blocked_subject\s+final`, `blocked_sender\s+scorer`, `blocked_for\s+\S`,
		fmt.Sprintf(`blocking_pid\s+%d`, h.pid), `blocking_state\s+idle in transaction`, `blocking_age\s+\S`, regexp.QuoteMeta(h.start),
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("blocking does not show %s:\n%s", want, out)
		}
	}

	if out, err := umpireAt(t, night, "ops", "unblock", "--pid", fmt.Sprint(h.pid), "--backend-start", "2001-01-01 00:00:00+00"); err == nil || !strings.Contains(err.Error(), "nothing was done") {
		t.Fatalf("a session that began at another time was not left alone: %s %v", out, err)
	}
	if out, err := umpireAt(t, night, "ops", "unblock", "--pid", fmt.Sprint(h.pid), "--backend-start", h.start); err != nil || !strings.Contains(out, "Ended session") {
		t.Fatalf("unblock: %s %v", out, err)
	}
	if err := <-h.waiter; err != nil {
		t.Errorf("the command that waited: %v", err)
	}
	if out, err := umpireAt(t, night, "ops", "blocking"); err != nil || !strings.Contains(out, "Nobody is blocked") {
		t.Errorf("after unblock: %s %v", out, err)
	}
}

// A command that blocks another is shown with its own command, subject and sender.
func TestC131BlockingCommandIsNamed(t *testing.T) {
	db := harness.New(t)
	admin := db.Conn(t)
	fixture(t, admin)
	first := db.ConnWith(t, func(c *pgx.ConnConfig) { c.RuntimeParams["application_name"] = "umpire:command" })
	if _, err := first.Exec(t.Context(), `begin; select outcome from road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'a', '{"text": "x"}')`); err != nil {
		t.Fatal(err)
	}
	second := db.ConnWith(t, func(c *pgx.ConnConfig) { c.RuntimeParams["application_name"] = "umpire:import" })
	done := make(chan error, 1)
	go func() {
		_, err := second.Exec(context.Background(), `select outcome from road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'b', '{"text": "y"}')`)
		done <- err
	}()
	db.WaitForLock(t, second.PgConn().PID())
	out, err := umpire(t, db, "ops", "blocking")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`blocking_command\s+fixture.note`, `blocking_subject\s+final`, `blocking_sender\s+scorer`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("blocking does not show %s:\n%s", want, out)
		}
	}
	if _, err := first.Exec(t.Context(), "commit"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the command that waited: %v", err)
	}
}

// The runbook's files work in psql as they are printed.
func TestC131RunbookInPsql(t *testing.T) {
	db := harness.New(t)
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Fatal("psql is needed: ", err)
	}
	h := hold(t, db)
	file := func(name string, args ...string) string {
		out, err := exec.Command(psql, append(args, "-X", "-A", "-v", "ON_ERROR_STOP=1", "-f", filepath.Join("..", "..", "sql", "runbook", name), db.URL())...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	if out := file("blocking.sql"); !strings.Contains(out, fmt.Sprintf("|%d|", h.pid)) || !strings.Contains(out, "fixture.note|final|scorer") {
		t.Errorf("blocking.sql:\n%s", out)
	}
	if out := file("unblock.sql", "-v", fmt.Sprintf("pid=%d", h.pid), "-v", "backend_start="+h.start); !strings.Contains(out, "|t") {
		t.Errorf("unblock.sql:\n%s", out)
	}
	if err := <-h.waiter; err != nil {
		t.Errorf("the command that waited: %v", err)
	}
}

// Verify replays, and says so when a score was changed behind the road's back.
func TestVerify(t *testing.T) {
	db := harness.New(t)
	conn := db.Conn(t)
	fixture(t, conn)
	if out, err := umpire(t, db, "ops", "verify"); err != nil || !strings.Contains(out, "2 subjects replayed: all equal") {
		t.Fatalf("verify of a sound database: %s %v", out, err)
	}
	if _, err := conn.Exec(t.Context(), `update sport.fixture_score set state = '{"score": {"home": 1, "away": 0}}'`); err != nil {
		t.Fatal(err)
	}
	out, err := umpire(t, db, "ops", "verify")
	if err == nil || !strings.Contains(out, "final") || !strings.Contains(out, "replayed {}") {
		t.Errorf("verify of a changed score: %s %v", out, err)
	}
	if _, err := conn.Exec(t.Context(), `update sport.fixture_score set state = '{}'`); err != nil {
		t.Fatal(err)
	}
}
