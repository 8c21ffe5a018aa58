package feed_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// C-117: a standby that was behind is promoted. It gives out transaction ids again that the old primary used, so positions
// of before are refused, loudly; after the rebase nothing is skipped. The standby is a copy of the data folder that
// recovers to the end of its own WAL, on a new timeline.
func TestPromotedStandbyThatWasBehind(t *testing.T) {
	db := harness.NewOwn(t, postgres.Options{})
	if db.Cluster().Dir == "" {
		t.Skip("needs a server that runs from installed binaries: its data folder is copied")
	}
	token := layOut(t, db.URL())
	b := serve(t, db.URL(), token, nil)
	conn := connect(t, db.URL())
	before := len(allNotes(t, conn))
	b.must(t, http.MethodPut, "/consumers/stats", `{}`)
	for range 3 {
		comment(t, conn, "f0", "replicated")
	}
	had := b.consume(t, "stats", 100)
	for range 3 {
		comment(t, conn, "f1", "replicated, not yet read")
	}
	if err := db.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	folder := standbyFolder(t)
	if out, err := osexec.Command("cp", "-a", db.Cluster().Dir, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if err := db.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = connect(t, db.URL())
	for range 5 {
		comment(t, conn, "f2", "lost with the old primary")
	}
	b.consume(t, "stats", 100)
	position := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)

	_ = os.Remove(filepath.Join(folder, "postmaster.pid"))
	if err := os.WriteFile(filepath.Join(folder, "recovery.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	standby := openStandby(t, folder, map[string]string{"restore_command": "false"})()
	conn = connect(t, standby.URL)
	if got := value[int](t, conn, "select timeline from road.cluster_identity()"); got != 2 {
		t.Fatalf("timeline %d, want 2", got)
	}
	promoted := serve(t, standby.URL, token, nil)
	if status, said := promoted.call(t, http.MethodGet, "/consumers/stats/notes", ""); status != http.StatusConflict || !strings.Contains(said["detail"].(string), "umpire ops rebase") {
		t.Errorf("the consumer: %d %v", status, said)
	}
	s := mustOpen(t, promoted.web+"/notes?after="+position, "")
	s.mustNext(t, "hello")
	if f := s.mustNext(t, "reload"); !strings.Contains(f.data, "other_cluster") {
		t.Errorf("%+v", f)
	}
	exec(t, conn, "select road.feed_rebase()")
	for range 5 {
		comment(t, conn, "f3", "after the promotion")
	}
	got, _ := s.mustRead(t, 5)
	all := allNotes(t, conn)
	same(t, "the viewer", got, all[len(all)-5:])
	same(t, "the consumer", slices.Concat(had, promoted.consume(t, "stats", 2)), all[before:])
	s.close()
}

// C-117: a dump is restored into a new cluster, whose transaction ids begin low. Until the rebase nobody is served; after it
// nothing is skipped, also not what was written before it.
func TestRestoredDump(t *testing.T) {
	old := harness.NewOwn(t, postgres.Options{})
	conn := connect(t, old.URL())
	burn(t, conn)
	token := layOut(t, old.URL())
	b := serve(t, old.URL(), token, nil)
	b.must(t, http.MethodPut, "/consumers/stats", `{"from": "start"}`)
	b.must(t, http.MethodPut, "/consumers/fresh", `{"from": "start"}`)
	had := b.consume(t, "stats", 100)
	for range 3 {
		comment(t, conn, "f0", "not yet read")
	}
	position := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)

	restoredURL := restoreDump(t, old.URL())

	conn = connect(t, restoredURL)
	restored := serve(t, restoredURL, token, nil)
	comment(t, conn, "f0", "written before the rebase")
	if low := value[bool](t, conn, "select max(id) filter (where xid = (select min(xid) from road.note)) = max(id) from road.note"); !low {
		t.Fatal("the new note should have the lowest xid: this does not test what it is for")
	}
	if status, said := restored.call(t, http.MethodGet, "/consumers/stats/notes", ""); status != http.StatusConflict || !strings.Contains(said["detail"].(string), "umpire ops rebase") {
		t.Errorf("consumer: %d %v", status, said)
	}
	waitFor(t, "the stream to say that it needs a rebase", func() bool {
		_, err := open(t, restored.web+"/notes", "")
		return err != nil && strings.Contains(err.Error(), "needs_rebase")
	})
	exec(t, conn, "select road.feed_rebase()")

	var s *stream
	waitFor(t, "the stream to serve again", func() bool {
		var err error
		s, err = open(t, restored.web+"/notes?after="+position, "")
		return err == nil
	})
	s.mustNext(t, "hello")
	if f := s.mustNext(t, "reload"); !strings.Contains(f.data, "other_cluster") {
		t.Errorf("%+v", f)
	}
	comment(t, conn, "f1", "after the rebase")
	if got, _ := s.mustRead(t, 1); got[0] != "f1 2" {
		t.Errorf("the viewer got %v", got)
	}
	s.close()
	all := allNotes(t, conn)
	// What it had comes once, what it had not comes whole and in each subject's order; some may come twice.
	again := restored.consume(t, "stats", 2)
	want := []string{"f0 2", "f0 3", "f0 4", "f0 5", "f1 2"}
	same(t, "the consumer", again, want)
	same(t, "a consumer that had nothing", restored.consume(t, "fresh", 3), all)
	if len(had)+len(want) != len(all) {
		t.Errorf("%d before, %d after, but there are %d notes", len(had), len(want), len(all))
	}
	for end := time.Now().Add(limit); restored.hub.Stats().Fault != nil; {
		if time.Now().After(end) {
			t.Fatal(restored.hub.Stats().Fault)
		}
	}
}

// burn takes many transaction ids: each block that writes is a subtransaction with one of its own.
func burn(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	exec(t, conn, `create temp table burnt (i int); do $$ begin for i in 1..20000 loop begin insert into burnt values (i); exception when division_by_zero then null; end; end loop; end $$`)
}

// restoreDump dumps a database as it is now, restores it into a new cluster, and gives its URL there.
func restoreDump(t testing.TB, from string) string {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "dump.sql")
	program(t, "pg_dump", "--file", dump, from)
	cluster := harness.NewOwn(t, postgres.Options{})
	exec(t, connect(t, cluster.URL()), "create database restored")
	u, err := url.Parse(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/restored"
	program(t, "psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", dump, u.String())
	return u.String()
}

// program runs one of Postgres' own.
func program(t testing.TB, name string, args ...string) {
	t.Helper()
	beside, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(beside) == 0 {
		t.Skipf("%s is not installed; apt-get install postgresql-client brings it", name)
	}
	if out, err := osexec.Command(beside[len(beside)-1], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// standbyFolder is where a standby's data folder is to come.
func standbyFolder(t testing.TB) string {
	t.Helper()
	parent, err := os.MkdirTemp("", "feed-standby")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil { // the server's user must enter it
		t.Fatal(err)
	}
	return filepath.Join(parent, "standby")
}

// openStandby starts a server on a standby's data folder. It takes connections once it is promoted; promoted waits for
// that.
func openStandby(t testing.TB, folder string, settings map[string]string) (promoted func() *postgres.Cluster) {
	t.Helper()
	settings["hot_standby"] = "off"
	var standby *postgres.Cluster
	var err error
	ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		standby, err = postgres.Open(ctx, postgres.Options{DataDir: folder, Settings: settings})
	}()
	t.Cleanup(func() {
		cancel()
		<-opened
		if err != nil {
			return // Open has stopped it
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := standby.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return func() *postgres.Cluster {
		t.Helper()
		<-opened
		if err != nil {
			t.Fatal(err)
		}
		return standby
	}
}

// streamingStandby copies a server that runs and lets the copy follow it. promote makes it a primary, as pg_ctl does.
func streamingStandby(t testing.TB, of *harness.DB) (promote func() *postgres.Cluster) {
	t.Helper()
	folder := standbyFolder(t)
	u, err := url.Parse(of.URL())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("application_name", "standby")
	u.RawQuery = q.Encode()
	program(t, "pg_basebackup", "--pgdata", folder, "--dbname", u.String(), "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync")
	if out, err := osexec.Command("chown", "-R", "--reference", of.Cluster().Dir, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	promoted := openStandby(t, folder, map[string]string{})
	watch := connect(t, of.URL())
	waitFor(t, "the standby to follow", func() bool {
		return value[bool](t, watch, `select exists (select from pg_stat_replication where application_name = 'standby' and state = 'streaming')`)
	})
	return func() *postgres.Cluster {
		t.Helper()
		said, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(said), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "promote"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		return promoted()
	}
}

// rebase runs `umpire ops rebase` while a writer is held, waits until it waits for the writer, lets that commit, and waits
// for the end.
func rebase(t testing.TB, database string, held *pgx.Conn) {
	t.Helper()
	umpire := harness.Binary(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := osexec.CommandContext(ctx, umpire, "ops", "rebase")
	cmd.Env = append(os.Environ(), "UMPIRE_DATABASE_URL="+database)
	var out []byte
	var err error
	done := make(chan struct{})
	go func() { defer close(done); out, err = cmd.CombinedOutput() }()
	watch := connect(t, database)
	waitFor(t, "the rebase to wait for the writer", func() bool {
		return value[bool](t, watch, `select exists (select from pg_stat_activity a where $1::int = any (pg_blocking_pids(a.pid)) and a.query like '%feed_rebase%')`, int32(held.PgConn().PID()))
	})
	exec(t, held, "commit")
	<-done
	if err != nil || !strings.Contains(string(out), "Nothing is skipped") {
		t.Fatalf("umpire ops rebase: %v\n%s", err, out)
	}
	t.Logf("umpire ops rebase: %s", strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "))
}
