package harness_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// These tests bring a small package of their own, so that they fail only for reasons of the harness.
func TestMain(m *testing.M) {
	files := fstest.MapFS{"install.sql": {Data: []byte(`
create or replace function road.invariants() returns table (name text, detail text) language sql as $$
    select 'no_negative', 'row ' || i from road.t where i < 0
$$;
{{ template "code_hash.sql" . }}
`)}}
	hash, err := postgres.CodeHash(files)
	if err != nil {
		panic(err)
	}
	files[postgres.CodeHashFile] = &fstest.MapFile{Data: postgres.CodeHashSQL(hash)}
	harness.MainWith(m, harness.Config{Source: postgres.Source{
		Functions: files,
		Migrations: fstest.MapFS{"001_road.sql": {Data: []byte(`
do $$ begin
    if not exists (select from pg_roles where rolname = 'harness_reader') then create role harness_reader nologin; end if;
end $$;
create schema road;
create table road.t (i int primary key, n int not null default 0);
create table road.installed_code (installed_at timestamptz default clock_timestamp(), code_hash text, installed_by text);
create table road.installed_function (signature text primary key, definition text);
create function road.record_install(p_code_hash text) returns void language sql as $$
    insert into road.installed_code (code_hash, installed_by) values (p_code_hash, session_user)
$$;
`)}},
	}})
}

func must(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			must(t, harness.New(t).Conn(t), "insert into road.t values (1)")
		})
	}
}

func TestConnections(t *testing.T) {
	db := harness.New(t)
	var role, name string
	err := db.ConnAs(t, "harness_reader").QueryRow(t.Context(), "select current_user, current_setting('application_name')").Scan(&role, &name)
	if err != nil || role != "harness_reader" || name != t.Name() {
		t.Errorf("%q %q %v", role, name, err)
	}
	err = db.PoolAs(t, "harness_reader").QueryRow(t.Context(), "select current_user").Scan(&role)
	if err != nil || role != "harness_reader" {
		t.Errorf("pool: %q %v", role, err)
	}
	for _, extension := range []string{"pgtap", "plpgsql_check"} {
		var available bool
		err := db.Conn(t).QueryRow(t.Context(), "select exists (select from pg_available_extensions where name = $1)", extension).Scan(&available)
		if err != nil || db.HasExtension(t, extension) != available {
			t.Errorf("%s: available %v, %v", extension, available, err)
		}
	}
}

func TestWaitForLock(t *testing.T) {
	db := harness.New(t)
	first, second := db.Conn(t), db.Conn(t)
	must(t, first, "insert into road.t values (1)")
	must(t, first, "begin")
	must(t, first, "update road.t set n = n + 1")

	done := make(chan error, 1)
	go func() {
		_, err := second.Exec(t.Context(), "update road.t set n = n + 1")
		done <- err
	}()
	db.WaitForLock(t, second.PgConn().PID())
	if picture := db.Sessions(); !strings.Contains(picture, "waits for Lock") {
		t.Errorf("picture: %s", picture)
	}
	must(t, first, "commit")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	db.WaitFor(t, "select n = $1 from road.t", 2)
}

// recorder is a test that may fail without failing ours.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) end() {
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		last()
	}
}

func TestBrokenInvariantFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	db := harness.New(r)
	must(t, db.Conn(r), "insert into road.t values (-1), (2), (-3)")
	r.end()
	if got := strings.Join(r.errors, "|"); got != "invariant no_negative broken: row -1|invariant no_negative broken: row -3" {
		t.Errorf("got %q", got)
	}
	// And it is gone.
	var left bool
	other := harness.New(t).Conn(t)
	if err := other.QueryRow(t.Context(), "select exists (select from pg_database where $1 like '%/' || datname || '?%')", db.URL()).Scan(&left); err != nil || left {
		t.Errorf("the clone is still there: %v %v", left, err)
	}
}

// A secret that was stored, or written into the server's log, fails the test; its own text is not shown again.
func TestSecretFailsTheTest(t *testing.T) {
	token := "umt_" + strings.Repeat("x", 43)
	r := &recorder{TB: t}
	db := harness.NewProcess(r, postgres.Options{})
	conn := db.Conn(r)
	must(t, conn, "create table road.kept (said text)")
	must(t, conn, "insert into road.kept values ('the token is "+token+"'), ('umt_x'), ('"+harness.Canary+"1')")
	must(t, conn, "do $$ begin raise warning 'the token is "+token+".'; end $$")
	r.end()
	if len(r.errors) != 2 || r.errors[0] != "a secret was stored in table road.kept: 2 rows" ||
		!strings.HasSuffix(r.errors[1], "WARNING:  the token is umt_....") {
		t.Errorf("got %q", r.errors)
	}
}

func TestOwnServer(t *testing.T) {
	db := harness.NewProcess(t, postgres.Options{Settings: map[string]string{"max_connections": "21"}})
	must(t, db.Conn(t), "insert into road.t values (1)")
	if err := db.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	if err := db.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	db.WaitFor(t, "select count(*) = 1 and current_setting('max_connections') = '21' from road.t")
}
