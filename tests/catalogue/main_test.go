// Package catalogue_test reads what is installed (pg_proc, grants, comments, the command catalogue) and compares it with
// the files and with the rules that every file keeps.
package catalogue_test

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/functions"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

const schemas = "('road', 'sport', 'game', 'ops')"

// function is one row of pg_proc.
type function struct {
	Name       string // schema.name
	Signature  string // as regprocedure prints it
	Body       string // prosrc without comments
	Definition string
	Language   string
	Volatility string // i, s, v
	Definer    bool
	Settings   []string
	Comment    *string
	Public     bool // PUBLIC may execute it
}

var sqlComment = regexp.MustCompile(`(?m)--.*$`)

func installed(t *testing.T, conn *pgx.Conn) []function {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		select n.nspname || '.' || p.proname, p.oid::regprocedure::text, p.prosrc, pg_get_functiondef(p.oid), l.lanname, p.provolatile::text, p.prosecdef,
		    coalesce(p.proconfig, '{}'), obj_description(p.oid, 'pg_proc'),
		    p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0)
		from pg_proc p
		join pg_namespace n on n.oid = p.pronamespace
		join pg_language l on l.oid = p.prolang
		where n.nspname in `+schemas+`
		order by 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[function])
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Body = sqlComment.ReplaceAllString(all[i].Body, "")
	}
	if len(all) < 40 {
		t.Fatalf("only %d functions: is this the right database?", len(all))
	}
	return all
}

// list collects one column.
func list[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) []T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sources are the package's SQL files by path.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(functions.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".sql" {
			return err
		}
		text, err := fs.ReadFile(functions.FS, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// written are the functions that dispatchers.sql writes at install: they have no file of their own.
func written(t *testing.T) []string {
	t.Helper()
	text := sources(t)["road/dispatchers.sql"]
	var names []string
	for _, m := range regexp.MustCompile(`\('(dispatch\w*)'|create or replace function (road\.\w+)\(`).FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			names = append(names, "road."+m[1])
		} else {
			names = append(names, m[2])
		}
	}
	if len(names) < 5 {
		t.Fatalf("road/dispatchers.sql seems to write %v only; is it still read the right way?", names)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fileOf is where a function belongs: road/execute.sql (or ops/verify.sql), sport/football/goal.sql.
func fileOf(name string) []string {
	schema, rest, _ := strings.Cut(name, ".")
	if schema == "road" {
		return []string{"road/" + rest + ".sql", "ops/" + rest + ".sql"}
	}
	group, short, _ := strings.Cut(rest, "_")
	return []string{schema + "/" + group + "/" + short + ".sql", schema + "/" + rest + ".sql"}
}
