package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"umpire/functions"
	"umpire/server/postgres"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// Of a second database that was made in another order of OIDs and sorts text in another way, the page is the same.
func TestDeterministic(t *testing.T) {
	db := harness.New(t)
	first := pageOf(t, db.Conn(t))
	if second := pageOf(t, db.Conn(t)); second != first {
		t.Error("two runs on one database give two pages")
	}

	conn := db.Conn(t)
	name := fmt.Sprintf("schemaref_other_%d", os.Getpid())
	sql := "create database " + name + " template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-US' locale 'C'"
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Logf("no database with an ICU collation here: %v", err)
		if _, err := conn.Exec(t.Context(), "create database "+name); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if _, err := conn.Exec(context.Background(), "drop database "+name+" with (force)"); err != nil {
			t.Error(err)
		}
	}()
	url := db.Cluster().URLFor(name)
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.Background()) }()
	if _, err := other.Exec(t.Context(), `do $$ begin for i in 1..50 loop execute format('create table t%s (n integer primary key)', i); end loop; end $$`); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), url, postgres.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), `set search_path = public; set intervalstyle = iso_8601`); err != nil {
		t.Fatal(err)
	}
	if page := pageOf(t, other); page != first {
		t.Errorf("another database gives another page:\n%v", compare(saved(t, first), []byte(page)))
	}
}

func TestNothingIsMissing(t *testing.T) {
	for _, p := range readOf(t, harness.New(t).Conn(t)).problems() {
		t.Error(p)
	}
}

func TestStaleFile(t *testing.T) {
	fresh := []byte("# One\n\ntwo\n")
	var stale *staleError
	for name, text := range map[string]string{"changed": "# One\n\n2\n", "empty": ""} {
		err := compare(saved(t, text), fresh)
		if !errors.As(err, &stale) || !strings.Contains(err.Error(), "\n+two\n") || !strings.Contains(err.Error(), regenerate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := compare(filepath.Join(t.TempDir(), "schema.md"), fresh); !errors.As(err, &stale) {
		t.Errorf("missing: %v", err)
	}
	if err := compare(saved(t, string(fresh)), fresh); err != nil {
		t.Errorf("fresh: %v", err)
	}
}

// The way of -check, with a database that is there.
func TestCheck(t *testing.T) {
	db := harness.New(t)
	file := saved(t, "")
	var stale *staleError
	if err := run(t.Context(), db.URL(), file, true); !errors.As(err, &stale) {
		t.Fatalf("before writing: %v", err)
	}
	if err := run(t.Context(), db.URL(), file, false); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), db.URL(), file, true); err != nil {
		t.Errorf("after writing: %v", err)
	}
}

func TestProblems(t *testing.T) {
	conn := harness.New(t).Conn(t)
	for name, c := range map[string]struct{ sql, want string }{
		"table":     {`comment on table road.sender is null`, "table road.sender has no comment"},
		"column":    {`comment on column sport.play.seq is null`, "column sport.play.seq has no comment"},
		"type":      {`comment on type road.call is null`, "type road.call has no comment"},
		"function":  {`comment on function road.now() is null`, "function road.now has no comment"},
		"index":     {`comment on index sport.fixture_event_id_idx is null`, "index fixture_event_id_idx of sport.fixture has no comment"},
		"schema":    {`comment on schema sport is null`, "schema sport has no comment"},
		"role":      {`comment on role umpire_app is null`, "role umpire_app has no comment"},
		"view":      {`create view road.v as select 1 as one; comment on column road.v.one is 'One.'`, "view road.v has no comment"},
		"no reason": {`comment on table sport.play is 'Plays.'`, "table sport.play has no foreign key, and no comment"},
		"no file":   {`create function road.f() returns void language sql as ''; comment on function road.f() is 'F.'`, "road.f comes from no file"},
		"strange":   {`create sequence road.s`, "road.s is of a kind"},
		"enum":      {`create type road.e as enum ('a')`, "road.e is of a kind"},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := conn.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(context.Background()) }()
			if _, err := tx.Exec(t.Context(), c.sql); err != nil {
				t.Fatal(err)
			}
			db, err := read(t.Context(), tx, functions.FS)
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Join(db.problems(), "\n"); !strings.Contains(found, c.want) {
				t.Errorf("%q is not among the problems:\n%s", c.want, found)
			}
		})
	}
}

// What a reader of the page relies on.
func TestPage(t *testing.T) {
	page := pageOf(t, harness.New(t).Conn(t))

	anchors := anchorsOf(page)
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if !anchors[m[1]] {
			t.Errorf("nothing has the anchor #%s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\]\(\.\./([^)#]*)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
			t.Error(err)
		}
	}
	for line := range strings.Lines(page) {
		if n := utf8.RuneCountInString(line); n > lineLength+1 && !strings.HasPrefix(line, "|") && !strings.Contains(line, "`") {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	for _, want := range []string{
		"#### road.execute\n", "    p_saw jsonb default NULL::jsonb,\n", "    out answer jsonb)\n",
		"- plpgsql, volatile, security definer, with `search_path=pg_catalog, pg_temp`",
		"- called by functions of `umpire_owner` only",
		"- from [functions/road/dispatchers.sql](../functions/road/dispatchers.sql)",
		"| `umpire_ops` | no | `pg_read_all_stats`, `pg_signal_backend` |",
		"`umpire_ops`: select of `sender`, `actor`",
		"- foreign key `(event_id) REFERENCES sport.event(event_id)`",
		"| identity, generated always |",
		"**Storage:** `autovacuum_vacuum_scale_factor=0.02`, `autovacuum_vacuum_threshold=200`, `fillfactor=50`",
		"| `football.goal` | `fixture` | play | no | command | 30 days |",
		"| `in_shootout` |",
		"| `fixture` | `log` | yes | senders that may read logs | [`road.read_log`](#roadread_log) |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("not on the page: %s", want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a_b c_ _d": `a_b c\_ \_d`, "x[] <y> *z* `q`": "x\\[\\] \\<y> \\*z\\* \\`q\\`",
	} {
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q", text, got)
		}
	}
	long := strings.Repeat("word ", 23) + "> 5 - 6 1. `a b c d`"
	for line := range strings.Lines(wrap(long, "  ")) {
		if trimmed := strings.TrimLeft(line, " "); trimmed[0] == '>' || strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "1.") {
			t.Errorf("a line begins with what makes a block: %q", line)
		}
	}
	if got := sentencesWith("One. No foreign key: x. Two", "foreign key"); len(got) != 1 || got[0] != "No foreign key: x." {
		t.Errorf("sentencesWith: %q", got)
	}
}

// anchorsOf lists the anchors that GitHub makes of the page's headings.
func anchorsOf(text string) map[string]bool {
	p := page{anchors: map[string]int{}}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		anchors[p.anchor(strings.ReplaceAll(m[1], `\`, ""))] = true
	}
	return anchors
}

func readOf(t *testing.T, conn *pgx.Conn) *database {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	db, err := read(t.Context(), tx, functions.FS)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func pageOf(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	return string(render(readOf(t, conn)))
}

func saved(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "schema.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
