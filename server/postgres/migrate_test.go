package postgres

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgconn"
)

// A package as small as can be, with the two tables and the function that Migrate relies on.
const (
	testMigration = `create schema road;
create table road.installed_code (
    installed_at timestamptz primary key default clock_timestamp(), code_hash text not null, installed_by text not null);
create table road.installed_function (signature text primary key, definition text not null);
---- create above / drop below ----
drop schema road cascade;
`
	testRecord = `create or replace function road.record_install(p_code_hash text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
    delete from road.installed_function;
    insert into road.installed_function
    select p.oid::regprocedure::text, pg_get_functiondef(p.oid)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('road', 'sport', 'game') and p.prokind in ('f', 'p');
    insert into road.installed_code (code_hash, installed_by) values (p_code_hash, session_user)
$$;
`
	testInstall = `-- the manifest
{{ template "road/record.sql" . }}
{{ template "road/hello.sql" . }}
{{ template "code_hash.sql" . }}
`
	testHello = `-- Says hello.
create or replace function road.hello() returns text language sql as $$ select 'hello' $$;
`
)

func textFiles(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// testSource is the small package with some files changed or added, its hash file up to date.
func testSource(t *testing.T, change map[string]string) Source {
	t.Helper()
	migrationFiles := map[string]string{"001_road.sql": testMigration}
	functionFiles := map[string]string{"install.sql": testInstall, "road/record.sql": testRecord, "road/hello.sql": testHello}
	for name, text := range change {
		if base, ok := strings.CutPrefix(name, "migrations/"); ok {
			migrationFiles[base] = text
		} else {
			functionFiles[strings.TrimPrefix(name, "functions/")] = text
		}
	}
	functions := textFiles(functionFiles)
	hash, err := CodeHash(functions)
	if err != nil {
		t.Fatal(err)
	}
	functions[CodeHashFile] = &fstest.MapFile{Data: CodeHashSQL(hash)}
	return Source{Migrations: textFiles(migrationFiles), Functions: functions}
}

func migrated(t *testing.T, url string, source Source) Report {
	t.Helper()
	report, err := Migrate(t.Context(), url, MigrateOptions{Source: source})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Five servers start at once. A migration with `concurrently` is among the files: waiting inside the server for the lock
// would deadlock with it.
func TestFiveMigrateAtOnce(t *testing.T) {
	url := database(t, "")
	source := testSource(t, map[string]string{
		"migrations/002_index.sql": "---- tern: disable-tx ----\ncreate index concurrently on road.installed_code (code_hash);\n",
		"migrations/003_table.sql": "create table road.t (i int);\n",
	})
	var wg sync.WaitGroup
	reports, errs := make([]Report, 5), make([]error, 5)
	for i := range 5 {
		wg.Go(func() { reports[i], errs[i] = Migrate(t.Context(), url, MigrateOptions{Source: source}) })
	}
	wg.Wait()
	worked := 0
	for i := range 5 {
		if errs[i] != nil {
			t.Errorf("%d: %v", i, errs[i])
		}
		if reports[i].Installed != (len(reports[i].Applied) == 3) || reports[i].To != 3 {
			t.Errorf("%d: %+v", i, reports[i])
		}
		if reports[i].Installed {
			worked++
		}
	}
	conn := connect(t, url)
	if installs := query[int](t, conn, "select count(*) from road.installed_code"); worked != 1 || installs != 1 {
		t.Errorf("%d worked, %d installs; want one", worked, installs)
	}
	if locks := query[int](t, conn, `select count(*) from pg_locks where locktype = 'advisory' and database =
		(select oid from pg_database where datname = current_database())`); locks != 0 {
		t.Errorf("%d advisory locks left", locks)
	}
	if _, err := source.Check(t.Context(), conn); err != nil {
		t.Error(err)
	}
}

func TestSecondMigrateChangesNothing(t *testing.T) {
	url := database(t, "")
	source := testSource(t, nil)
	first := migrated(t, url, source)
	if !first.Installed || first.From != 0 || first.To != 1 || fmt.Sprint(first.Applied) != "[001_road.sql]" || len(first.CodeHash) != 64 {
		t.Errorf("first: %+v", first)
	}
	second := migrated(t, url, source)
	if second.Installed || second.From != 1 || second.To != 1 || len(second.Applied)+len(second.Changes) != 0 || second.CodeHash != first.CodeHash {
		t.Errorf("second: %+v", second)
	}
	if n := query[int](t, connect(t, url), "select count(*) from road.installed_code"); n != 1 {
		t.Errorf("%d installs", n)
	}
}

func TestTunedFunction(t *testing.T) {
	url := database(t, "")
	source := testSource(t, nil)
	migrated(t, url, source)
	conn := connect(t, url)
	must(t, conn, "create or replace function road.hello() returns text language sql as $$ select 'tuned' $$")
	must(t, conn, "create function road.theirs(a int) returns int language sql as 'select a'")

	// Nothing to install: it is only reported.
	report := migrated(t, url, source)
	if report.Installed || len(report.Changes) != 2 {
		t.Fatalf("got %+v", report)
	}
	tuned, foreign := report.Changes[0], report.Changes[1]
	if tuned.Kind != Tuned || tuned.Signature != "road.hello()" || foreign.Kind != Foreign || foreign.Signature != "road.theirs(integer)" {
		t.Errorf("got %+v", report.Changes)
	}
	for _, line := range []string{"--- installed/road.hello()", "+++ database/road.hello()", "-AS $function$ select 'hello' $function$", "+AS $function$ select 'tuned' $function$"} {
		if !strings.Contains(tuned.Diff, line) {
			t.Errorf("the diff lacks %q:\n%s", line, tuned.Diff)
		}
	}

	// Something to install: refused, and the pending migration has not run either.
	newer := testSource(t, map[string]string{
		"functions/road/hello.sql": strings.ReplaceAll(testHello, "'hello'", "'hello again'"),
		"migrations/002_t.sql":     "create table road.t (i int);\n",
	})
	report, err := Migrate(t.Context(), url, MigrateOptions{Source: newer})
	var refused *TunedError
	if !errors.As(err, &refused) || len(refused.Changes) != 1 || !strings.Contains(err.Error(), "--force") || !strings.Contains(err.Error(), strings.TrimSpace(tuned.Diff)) {
		t.Fatalf("got %v", err)
	}
	if report.Installed || report.To != 1 || query[string](t, conn, "select road.hello()") != "tuned" {
		t.Errorf("after a refusal: %+v", report)
	}

	// A dropped one counts as well.
	must(t, conn, "drop function road.hello()")
	_, err = Migrate(t.Context(), url, MigrateOptions{Source: newer})
	if !errors.As(err, &refused) || refused.Changes[0].Kind != Dropped {
		t.Fatalf("got %v", err)
	}

	report, err = Migrate(t.Context(), url, MigrateOptions{Source: newer, Force: true})
	if err != nil || !report.Installed || report.To != 2 {
		t.Fatalf("forced: %+v %v", report, err)
	}
	if said := query[string](t, conn, "select road.hello()"); said != "hello again" {
		t.Errorf("forced: %s", said)
	}

	// Force restores a tuned function even when the code is the same.
	must(t, conn, "create or replace function road.hello() returns text language sql as $$ select 'tuned' $$")
	report, err = Migrate(t.Context(), url, MigrateOptions{Source: newer, Force: true})
	if err != nil || !report.Installed || query[string](t, conn, "select road.hello()") != "hello again" {
		t.Errorf("restored: %+v %v", report, err)
	}
}

// An install must not go over a function that somebody else put where a new one of ours belongs.
func TestForeignFunctionInTheWay(t *testing.T) {
	url := database(t, "")
	migrated(t, url, testSource(t, nil))
	conn := connect(t, url)
	must(t, conn, "create function road.bye() returns text language sql as $$ select 'theirs' $$")
	newer := testSource(t, map[string]string{
		"functions/install.sql":  strings.Replace(testInstall, "hello", "bye", 1),
		"functions/road/bye.sql": "create or replace function road.bye() returns text language sql as $$ select 'ours' $$;\n",
	})
	_, err := Migrate(t.Context(), url, MigrateOptions{Source: newer})
	var refused *TunedError
	if !errors.As(err, &refused) || refused.Changes[0].Kind != Foreign || query[string](t, conn, "select road.bye()") != "theirs" {
		t.Fatalf("got %v", err)
	}
	if _, err := Migrate(t.Context(), url, MigrateOptions{Source: newer, Force: true}); err != nil || query[string](t, conn, "select road.bye()") != "ours" {
		t.Errorf("forced: %v", err)
	}
}

// A function that a migration changes has not been tuned by anybody.
func TestMigrationMayChangeFunctions(t *testing.T) {
	url := database(t, "")
	byMigration := testMigration[:strings.Index(testMigration, "----")] + "create function road.m(a int) returns int immutable language sql as 'select a';\n"
	migrated(t, url, testSource(t, map[string]string{"migrations/001_road.sql": byMigration}))
	newer := testSource(t, map[string]string{
		"migrations/001_road.sql":  byMigration,
		"migrations/002_m.sql":     "create or replace function road.m(a int) returns int immutable language sql as 'select a + 1';\n",
		"functions/road/hello.sql": testHello + "-- changed\n",
	})
	report := migrated(t, url, newer)
	if !report.Installed || len(report.Changes) != 0 {
		t.Errorf("got %+v", report)
	}
	again := testSource(t, map[string]string{
		"migrations/001_road.sql":  byMigration,
		"migrations/002_m.sql":     "create or replace function road.m(a int) returns int immutable language sql as 'select a + 1';\n",
		"migrations/003_m.sql":     "drop function road.m(int);\n",
		"functions/road/hello.sql": testHello + "-- changed\n",
	})
	report = migrated(t, url, again)
	if report.Installed || report.To != 3 {
		t.Errorf("got %+v", report)
	}
	if report = migrated(t, url, again); len(report.Changes) != 0 {
		t.Errorf("got %+v", report)
	}
}

func TestErrorsSayFileAndLine(t *testing.T) {
	good := migratedURL(t)
	for name, c := range map[string]struct {
		file, text string
		want       string
	}{
		"syntax, counted in characters": {
			"functions/road/hello.sql", "-- größer, höher, ärger: 日本語\n\nselect 'ä', 'ö';\n\n  selekt 'ü';\n",
			"functions/road/hello.sql:5:3: syntax error",
		},
		"plpgsql body": {
			"functions/road/hello.sql", "create or replace function road.hello() returns text language plpgsql as $$\nbegin\n    retrun 1;\nend\n$$;\n",
			"functions/road/hello.sql:3",
		},
		"no position: the statement's line": {
			"functions/road/hello.sql", "select 1;\n/* a ; /* nested ; */ ; */\nselect ';', $x$ ; $x$, e'\\';', \";\" from (select 1) _(\";\");\n\n-- ;\nselect\n    1 / 0;\nselect 2;\n",
			"functions/road/hello.sql:6: division by zero",
		},
		"raised, with context": {
			"functions/road/hello.sql", "\ndo $$\nbegin\n    raise exception 'no; not so';\nend\n$$;\n",
			"functions/road/hello.sql:2: no; not so",
		},
		"the manifest itself, after a file": {
			"functions/install.sql", testInstall[:strings.LastIndex(testInstall, "{{")] + "select nothing_here;\n",
			"functions/install.sql:4:8: column \"nothing_here\" does not exist",
		},
		"a template that does not parse": {
			"functions/road/hello.sql", "select 1;\nselect '{{1,2},{3,4}}';\n",
			"functions/road/hello.sql:2",
		},
		"a template that is not there": {
			"functions/install.sql", "{{ template \"road/record.sql\" . }}\n{{ template \"road/none.sql\" . }}\n",
			"functions/install.sql:2",
		},
		"a key without a value": {
			"functions/road/hello.sql", "select 1;\nselect '{{ .missing }}';\n",
			"functions/road/hello.sql:2: a template key without a value",
		},
		"a template not on its own line": {
			"functions/install.sql", "select 1; {{ template \"road/record.sql\" . }}\n",
			"functions/install.sql:1: a template must be pulled in on a line of its own",
		},
		"the hash is not recorded": {
			"functions/install.sql", strings.Replace(testInstall, "{{ template \"code_hash.sql\" . }}", "", 1),
			`must end with the template "code_hash.sql"`,
		},
		"a migration": {
			"migrations/002_bad.sql", "\n\n-- ä\ncreate table road.u (i int);\nalter table road.u add j nosuchtype;\n",
			"migrations/002_bad.sql:5:26: type \"nosuchtype\" does not exist",
		},
		"a migration without a transaction": {
			"migrations/002_bad.sql", "---- tern: disable-tx ----\ncreate table road.w (i int);\nselect\n  nowhere;\n",
			"migrations/002_bad.sql:4:3: column \"nowhere\" does not exist",
		},
		"a migration's key without a value": {
			"migrations/002_bad.sql", "select '{{ .missing }}';\n",
			"migrations/002_bad.sql: a template key without a value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Migrate(t.Context(), good, MigrateOptions{Source: testSource(t, map[string]string{c.file: c.text})})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, got %v", c.want, err)
			}
			var sql *SQLError
			var pg *pgconn.PgError
			if errors.As(err, &sql) && !errors.As(err, &pg) {
				t.Error("the driver's error is lost")
			}
		})
	}
	// None of this left anything behind.
	conn := connect(t, good)
	if n := query[int](t, conn, "select count(*) from road.installed_code"); n != 1 {
		t.Errorf("%d installs", n)
	}
}

func migratedURL(t *testing.T) string {
	t.Helper()
	url := database(t, "")
	migrated(t, url, testSource(t, nil))
	return url
}

func TestStatements(t *testing.T) {
	for text, want := range map[string]int{
		"":                                     0,
		" -- only ; comments\n/* ; */":         0,
		"select 1":                             1,
		"select 1; ; select 2;":                2,
		"select 'a''; b'; select $$;$$":        2,
		"select $a$ $b$ ; $a$; x":              2,
		"select e'\\';'; x":                    2,
		"select 'e\\'; x":                      2,
		"select a$b; select $1; x":             3,
		`select ";""" ; x`:                     2,
		"select 'unterminated ; ":              1,
		"do $ä$ begin; end; $ä$; select ';' ;": 2,
	} {
		if got := statements([]rune(text)); len(got) != want {
			t.Errorf("%q: %d statements, want %d", text, len(got), want)
		}
	}
}

func TestStaleCodeHash(t *testing.T) {
	source := testSource(t, nil)
	files := maps.Clone(source.Functions.(fstest.MapFS))
	files["road/hello.sql"] = &fstest.MapFile{Data: []byte(testHello + "-- a change\n")}
	_, err := Migrate(t.Context(), "postgres://never-reached.invalid/", MigrateOptions{Source: Source{Migrations: source.Migrations, Functions: files}})
	var stale *StaleCodeHashError
	if !errors.As(err, &stale) || !strings.Contains(err.Error(), "go run ./server/postgres/codehash") {
		t.Errorf("got %v", err)
	}
	delete(files, CodeHashFile)
	if _, err := CheckCodeHash(files); !errors.As(err, &stale) || stale.Says != "" {
		t.Errorf("missing: %v", err)
	}

	// A name or a byte more is another hash; what go:embed leaves out and what is no SQL is not.
	hash, err := CodeHash(source.Functions)
	if err != nil {
		t.Fatal(err)
	}
	for name, differs := range map[string]bool{"road/new.sql": true, "road/_not.sql": false, "road/.not.sql": false, "road/readme.md": false, "_x/a.sql": false} {
		files := maps.Clone(source.Functions.(fstest.MapFS))
		files[name] = &fstest.MapFile{}
		if other, err := CodeHash(files); err != nil || (other != hash) != differs {
			t.Errorf("%s: %s, before %s, %v", name, other, hash, err)
		}
	}
}

// The generated file of this repository.
func TestEmbeddedCodeHashIsFresh(t *testing.T) {
	if _, err := CheckCodeHash(Embedded().Functions); err != nil {
		t.Error(err)
	}
}

func TestCheckSaysWhichSideIsOld(t *testing.T) {
	url := database(t, "")
	conn := connect(t, url)
	old := testSource(t, nil)
	newer := testSource(t, map[string]string{"migrations/002_t.sql": "create table road.t (i int);\n"})
	other := testSource(t, map[string]string{"functions/road/hello.sql": testHello + "-- other\n"})

	expect := func(s Source, kind Mismatch, want string) {
		t.Helper()
		_, err := s.Check(t.Context(), conn)
		var m *MismatchError
		if !errors.As(err, &m) || m.Kind != kind || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	expect(old, OldDatabase, "the database is empty, this server carries migration 1: run `umpire migrate`")
	migrated(t, url, old)
	if state, err := old.Check(t.Context(), conn); err != nil || state.Migration != 1 || state.InstalledBy != "postgres" || state.CodeHash != state.WantCodeHash {
		t.Errorf("%+v %v", state, err)
	}
	expect(newer, OldDatabase, "the database has migration 1, this server carries 2: run `umpire migrate`")
	state, _ := old.Check(t.Context(), conn)
	expect(other, OtherCode, state.CodeHash[:12]+" was installed at "+state.InstalledAt.UTC().Format("2006-01-02T15:04"))
	migrated(t, url, newer)
	expect(old, OldServer, "the database is newer than this server (it has migration 2, this server carries 1): deploy the newer server")
	if _, err := Migrate(t.Context(), url, MigrateOptions{Source: old}); err == nil || !strings.Contains(err.Error(), "newer than this server") {
		t.Errorf("migrating with an old server: %v", err)
	}
	must(t, conn, "delete from road.installed_code")
	expect(newer, NoCode, "no functions")
}
