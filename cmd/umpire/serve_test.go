package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"umpire/client"
	"umpire/server/postgres"
	"umpire/server/road"
	"umpire/tests/harness"
)

// serving starts a server on a free port, as serve does.
func serving(t *testing.T, db *harness.DB, change func(*config)) *server {
	t.Helper()
	c := &config{
		Listen: "127.0.0.1:0", StopTimeout: 30 * time.Second,
		CommandConns: 4, ImportConns: 1, ReadConns: 2, WorkConns: 1, PerSubject: 2,
	}
	if change != nil {
		change(c)
	}
	s, err := startServer(t.Context(), c, &postgres.Cluster{URL: db.URL(), Durable: true, Version: db.Cluster().Version}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// status asks for a path until it answers with the status wanted.
func waitForStatus(t *testing.T, url string, want int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		response, err := http.Get(url)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == want {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer %d: %v %v", url, want, response, err)
		}
	}
}

// Graceful stop: readiness fails first, the command under way gets its answer, a new one is told to try again.
func TestGracefulStop(t *testing.T) {
	db := harness.New(t)
	admin := db.Conn(t)
	fixture(t, admin)
	token, hash := road.NewToken()
	if err := road.AddSender(t.Context(), admin, road.NewSender{Name: "screen", TokenSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	s := serving(t, db, func(c *config) { c.StopDelay = 500 * time.Millisecond })
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serveUntil(ctx) }()
	waitForStatus(t, s.url()+"/ready", http.StatusOK)

	holder := db.Conn(t)
	if _, err := holder.Exec(t.Context(), "begin; select last_seq from road.subject where kind = 'fixture' for no key update"); err != nil {
		t.Fatal(err)
	}
	type ended struct {
		answer *client.Answer
		err    error
	}
	under := make(chan ended, 1)
	go func() {
		c := &client.Client{BaseURL: s.url(), Token: token}
		answer, err := c.Send(context.Background(), client.Command{Workflow: "fixture", Kind: "fixture", Ref: "final", Key: "held", Code: "note", Input: map[string]any{"text": "x"}})
		under <- ended{answer, err}
	}()
	db.WaitFor(t, "select exists (select from pg_stat_activity where wait_event_type = 'Lock' and application_name like 'umpire:command fixture.note %')")

	stop()
	waitForStatus(t, s.url()+"/ready", http.StatusServiceUnavailable)
	// New commands are turned away once the delay is over; until then they are still taken.
	deadline := time.Now().Add(20 * time.Second)
	for i := 0; ; i++ {
		body := strings.NewReader(`{"key": "new-` + string(rune('a'+i%26)) + `", "code": "create", "input": {"name": "x"}}`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url()+"/workflows/event/subjects/event/another/commands", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("a new command while stopping: %v", err)
		}
		var answer client.Answer
		err = json.NewDecoder(response.Body).Decode(&answer)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if answer.Outcome == "try_again" && answer.Reason.Code == "stopping" && response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("new commands are never told to try again: %d %+v", response.StatusCode, answer)
		}
	}
	if _, err := holder.Exec(t.Context(), "rollback"); err != nil {
		t.Fatal(err)
	}
	got := <-under
	if got.err != nil || got.answer.Outcome != "accepted" {
		t.Errorf("the command under way: %+v %v", got.answer, got.err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stopping: %v", err)
	}
}

// A server does not start on a database that is not its own version's, and says which side is old.
func TestStartSaysWhichSideIsOld(t *testing.T) {
	db := harness.New(t)
	if _, err := db.Conn(t).Exec(t.Context(), "update public.schema_version set version = version + 1"); err != nil {
		t.Fatal(err)
	}
	_, err := startServer(t.Context(), &config{Listen: "127.0.0.1:0"}, &postgres.Cluster{URL: db.URL()}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "the database is newer than this server") {
		t.Errorf("got %v", err)
	}
}

// `umpire migrate` shows a function that somebody tuned, keeps it, and overwrites it only with --force.
func TestMigrateKeepsATunedFunction(t *testing.T) {
	db := harness.New(t)
	conn := db.Conn(t)
	if out, err := umpire(t, db, "migrate"); err != nil || !strings.Contains(out, "Nothing to do") {
		t.Fatalf("migrate of a fresh database: %s %v", out, err)
	}
	if _, err := conn.Exec(t.Context(), `create or replace function road.now() returns timestamptz language sql as $$ select clock_timestamp() + interval '1 hour' $$`); err != nil {
		t.Fatal(err)
	}
	out, err := umpire(t, db, "migrate")
	if err != nil || !strings.Contains(out, "tuned") || !strings.Contains(out, "+ interval '1 hour'") {
		t.Errorf("migrate does not show what was tuned: %s %v", out, err)
	}
	var ahead bool
	if err := conn.QueryRow(t.Context(), "select road.now() > clock_timestamp() + interval '30 minutes'").Scan(&ahead); err != nil || !ahead {
		t.Errorf("the tuned function was overwritten (%v)", err)
	}
	if out, err := umpire(t, db, "migrate", "--force"); err != nil {
		t.Errorf("migrate --force: %s %v", out, err)
	}
	if err := conn.QueryRow(t.Context(), "select road.now() > clock_timestamp() + interval '30 minutes'").Scan(&ahead); err != nil || ahead {
		t.Errorf("--force left the tuned function (%v)", err)
	}
}
