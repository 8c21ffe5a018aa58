package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestThrowawayServer(t *testing.T) {
	ctx := t.Context()
	c, err := Open(ctx, Options{Settings: map[string]string{"max_prepared_transactions": "7"}})
	if err != nil {
		t.Fatal(err)
	}
	s := c.running.(*server)
	pid, keeper := s.process.cmd.Process.Pid, s.keeper.cmd.Process.Pid
	defer func() { _ = c.Close(context.Background()) }()

	if c.Durable || c.Origin != OriginBinaries || c.Version < MinVersion*10000 {
		t.Errorf("cluster: durable %v, origin %s, version %d", c.Durable, c.Origin, c.Version)
	}
	conn := connect(t, c.URL)
	got := query[string](t, conn, `select concat_ws(' ', current_database(), current_user, current_setting('fsync'),
		current_setting('full_page_writes'), current_setting('synchronous_commit'), current_setting('max_prepared_transactions'),
		current_setting('server_encoding'))`)
	if got != "umpire postgres off off on 7 UTF8" {
		t.Errorf("settings: %s", got)
	}
	if info, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil && os.Geteuid() == 0 {
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid == 0 {
			t.Error("the server runs as root")
		}
	}

	// Over TCP nobody gets in without the password.
	bad, err := pgx.ParseConfig(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	bad.Password = "wrong"
	_, err = pgx.ConnectConfig(ctx, bad)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "28P01" {
		t.Errorf("wrong password: %v", err)
	}
	// Through the socket every role does.
	must(t, conn, "create role somebody login")
	socket := connect(t, fmt.Sprintf("host=%s port=%d user=somebody dbname=umpire", c.Socket, c.Port))
	if who := query[string](t, socket, "select current_user::text"); who != "somebody" {
		t.Errorf("through the socket: %s", who)
	}

	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) || !gone(keeper) || !missing(s.run) {
		t.Errorf("left behind: server %v, keeper %v, folder %v", !gone(pid), !gone(keeper), !missing(s.run))
	}
	if err := c.Close(ctx); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// startHelper runs this test binary as another process that owns a server.
func startHelper(t *testing.T, kind, data string) (*exec.Cmd, helperSays) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperVariable+"="+kind, "UMPIRE_POSTGRES_TEST_DATA="+data)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var says helperSays
	if err := json.NewDecoder(out).Decode(&says); err != nil {
		t.Fatal(err)
	}
	return cmd, says
}

func TestNothingOutlivesItsOwner(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept=%v", kept), func(t *testing.T) {
			data := ""
			if kept {
				data = filepath.Join(openFolder(t), "data")
			}
			owner, says := startHelper(t, OriginBinaries, data)
			must(t, connect(t, says.URL), "create table t (i int)")

			if err := owner.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the server ends", func() bool { return gone(says.Process) })
			eventually(t, "its folder is removed", func() bool { return missing(says.Run) })
			eventually(t, "the keeper ends", func() bool { return gone(says.Keeper) })
			if kept {
				log, err := os.ReadFile(filepath.Join(says.Dir, "umpire-postgres.log"))
				if err != nil || !strings.Contains(string(log), "database system is shut down") {
					t.Errorf("no clean shutdown: %v\n%s", err, log)
				}
			}
		})
	}
}

// openFolder is a temp folder that the server's user can enter, which t.TempDir is not for root.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "umpire-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestKeptDataFolder(t *testing.T) {
	ctx := t.Context()
	data := filepath.Join(openFolder(t), "deep", "data")
	first, err := Open(ctx, Options{DataDir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close(context.Background()) }()
	if !first.Durable {
		t.Error("not durable")
	}
	conn := connect(t, first.URL)
	must(t, conn, "create table kept (i int)")
	must(t, conn, "insert into kept values (7)")
	if fsync := query[string](t, conn, "show fsync"); fsync != "on" {
		t.Errorf("fsync is %s", fsync)
	}

	_, err = Open(ctx, Options{DataDir: data})
	if err == nil || !strings.Contains(err.Error(), "already served by process") {
		t.Errorf("a second server on the same folder: %v", err)
	}
	if err := first.Close(ctx); err != nil {
		t.Fatal(err)
	}

	second, err := Open(ctx, Options{DataDir: data, Port: first.Port})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close(context.Background()) }()
	if second.URL != first.URL {
		t.Errorf("the URL changed from %s to %s", first.URL, second.URL)
	}
	if i := query[int](t, connect(t, second.URL), "select i from kept"); i != 7 {
		t.Errorf("kept row: %d", i)
	}
	if err := second.Close(ctx); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, Options{DataDir: data})
	if err == nil || !strings.Contains(err.Error(), "made by PostgreSQL 9") || !strings.Contains(err.Error(), "pg_upgrade") {
		t.Errorf("another major: %v", err)
	}
}

func TestForeignFolderRefused(t *testing.T) {
	dir := openFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{DataDir: dir})
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
}

func TestKillAndRestart(t *testing.T) {
	ctx := t.Context()
	c, err := Open(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	conn := connect(t, c.URL)
	must(t, conn, "create table t as select 1 as i")

	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if c.Running() {
		t.Error("still running")
	}
	if err := c.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if i := query[int](t, connect(t, c.URL), "select i from t"); i != 1 {
		t.Errorf("after a crash: %d", i)
	}
	if err := c.Restart(ctx); err != nil { // a running one
		t.Fatal(err)
	}
	connect(t, c.URL)
}

func TestFailedStartShowsTheLog(t *testing.T) {
	// A folder of our own, where nobody else starts servers; the user that Postgres runs as has to get into it.
	dir, err := os.MkdirTemp("", "open-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	_, err = Open(t.Context(), Options{Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = Open(t.Context(), Options{Port: port})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is taken", port)) {
		t.Errorf("got %v", err)
	}
}

func TestOperatorsDatabase(t *testing.T) {
	c := sharedCluster(t)
	opened, err := Open(t.Context(), Options{URL: c.URL})
	if err != nil {
		t.Fatal(err)
	}
	if !opened.Durable || opened.Origin != OriginURL || opened.Version != c.Version {
		t.Errorf("got %+v", opened)
	}
	if err := opened.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := opened.Kill(); err == nil {
		t.Error("killed what is not ours")
	}
	connect(t, c.URL) // Close left it alone

	ascii := database(t, "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0")
	for _, wrong := range []struct{ url, want string }{
		{ascii, "its encoding is SQL_ASCII; UTF8 is needed"},
		{c.URLFor("nowhere"), `has no database "nowhere": create it`},
		{"postgres://u:secret@127.0.0.1:1/umpire", "no database answers at 127.0.0.1:1/umpire"},
		{"postgres://u:secret@127.0.0.1:notaport/umpire", "database URL"},
	} {
		_, err := Open(t.Context(), Options{URL: wrong.url})
		if err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: %v", wrong.want, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the password shows: %v", err)
		}
	}
}

func TestStandbyRefused(t *testing.T) {
	ctx := t.Context()
	c, err := Open(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	// A standby without a primary waits for one for ever, and answers.
	if err := os.WriteFile(filepath.Join(c.Dir, "standby.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = Open(ctx, Options{URL: c.URL})
	if err == nil || !strings.Contains(err.Error(), "it is a standby") {
		t.Errorf("got %v", err)
	}
}

func TestNothingToBeHad(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	nothing := func(context.Context) ([]installation, []string) { return nil, []string{"/opt/pg/bin (12)"} }
	var said []string
	_, err := open(t.Context(), Options{Log: func(s string) { said = append(said, s) }}, []way{
		{"installed server binaries", func(ctx context.Context, o Options) (*Cluster, error) {
			return openBinaries(ctx, o, nothing, OriginBinaries)
		}},
		{"Docker", openDocker},
		{"Debian's package", openPackage},
	})
	var notFound *NotFoundError
	if !errors.As(err, &notFound) {
		t.Fatalf("got %v", err)
	}
	text := err.Error()
	for _, want := range []string{
		"no PostgreSQL 15 or newer", "no URL given", "/usr/lib/postgresql/*/bin", "too old: /opt/pg/bin (12)",
		"no engine answers", "not allowed", "docker pull postgres:17", "export UMPIRE_DATABASE_URL=",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the error lacks %q:\n%s", want, text)
		}
	}
	if len(said) != 3 {
		t.Errorf("said: %q", said)
	}
}

// Whoever names an image gets it or nothing: no other server takes its place.
func TestImageIsTheOnlyWay(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	c, err := Open(t.Context(), Options{Image: "some:image", AllowInstall: true})
	if err == nil {
		t.Fatalf("came from %s (%v)", c.Origin, c.Close(t.Context()))
	}
	for _, want := range []string{"no engine answers", "docker pull some:image"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%s", want, err)
		}
	}
	if strings.Contains(err.Error(), "binaries") {
		t.Errorf("looked for binaries:\n%s", err)
	}
}

func TestFindBinaries(t *testing.T) {
	found, _ := findBinaries(t.Context())
	for i, one := range found {
		if one.major < MinVersion || !executable(one.program("initdb")) {
			t.Errorf("%+v", one)
		}
		if i > 0 && found[i-1].major < one.major {
			t.Errorf("not newest first: %+v", found)
		}
	}
	for text, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1\n":                        18,
		"postgres (PostgreSQL) 9.6.24\n":                         9,
	} {
		if got, err := parseMajor(text); err != nil || got != want {
			t.Errorf("%q: %d %v", text, got, err)
		}
	}
	if _, err := parseMajor("something else"); err == nil {
		t.Error("parsed nonsense")
	}
}

func TestWithDatabase(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://u:p@h:1/a?sslmode=disable": "postgres://u:p@h:1/b%20c?sslmode=disable",
		"postgresql:///a?host=/tmp&dbname=x":   "postgresql:///b%20c?host=%2Ftmp",
		"host=h dbname=a":                      "host=h dbname=a dbname='b c'",
	} {
		got := withDatabase(in, "b c")
		if got != want {
			t.Errorf("%s: %s", in, got)
		}
		config, err := pgx.ParseConfig(got)
		if err != nil || config.Database != "b c" {
			t.Errorf("%s: %v %v", got, config, err)
		}
	}
}
