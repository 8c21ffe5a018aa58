package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// CoverageVariable names a folder. When it is set, servers run with plpgsql_check's profiler, and what the tests executed
// is written there, one file per test process. tests/coverage sets it and reads the files.
const CoverageVariable = "UMPIRE_TEST_COVERAGE"

// Profile is what was executed of one function in one database.
type Profile struct {
	Function   string      `json:"function"` // road.execute(text,...)
	Source     string      `json:"source"`   // md5 of its body: a test may have put another one in its place
	Statements []Statement `json:"statements"`
}

// Statement is one of a function's PL/pgSQL statements.
type Statement struct {
	ID    int    `json:"id"`
	Line  int    `json:"line"` // of the body
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// ProfilerSettings make a server keep profiles where all sessions add to them.
func ProfilerSettings() map[string]string {
	return map[string]string{"shared_preload_libraries": "plpgsql,plpgsql_check", "plpgsql_check.profiler": "on"}
}

func profilerSettings() map[string]string {
	if os.Getenv(CoverageVariable) == "" {
		return map[string]string{}
	}
	return ProfilerSettings()
}

// Profiles reads the profiles of a database. A server that does not gather any is an error.
func Profiles(ctx context.Context, conn *pgx.Conn) ([]Profile, error) {
	var on bool
	err := conn.QueryRow(ctx, `
		select coalesce(current_setting('plpgsql_check.profiler', true), 'off') = 'on'
		   and current_setting('shared_preload_libraries') like '%plpgsql_check%'`).Scan(&on)
	if err != nil {
		return nil, err
	}
	if !on {
		return nil, fmt.Errorf("the server gathers no profiles; it needs the settings %v", ProfilerSettings())
	}
	rows, err := conn.Query(ctx, `
		select p.oid::regprocedure::text, md5(p.prosrc),
		       jsonb_agg(jsonb_build_object('id', s.stmtid, 'line', s.lineno, 'name', s.stmtname, 'count', s.exec_stmts) order by s.stmtid)
		from pg_proc p
		join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
		join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('road', 'sport', 'game', 'ops')
		cross join lateral plpgsql_profiler_function_statements_tb(p.oid) s
		where p.prorettype <> 'trigger'::regtype
		group by p.oid, p.prosrc`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Profile])
}

// Coverage adds what was executed in a database to the files in CoverageVariable's folder. A test that drops a database
// of its own says so before; with New and NewOwn it is done.
func Coverage(t testing.TB, url string) {
	t.Helper()
	folder := os.Getenv(CoverageVariable)
	if folder == "" {
		return
	}
	if s := shared.Load(); s != nil && s.config.Source.Functions != nil {
		return // other functions than Umpire's
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := writeProfiles(ctx, folder, url); err != nil {
		t.Errorf("harness: coverage: %v", err)
	}
}

func writeProfiles(ctx context.Context, folder, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	profiles, err := Profiles(ctx, conn)
	if err != nil {
		return err
	}
	var lines []byte
	for _, p := range profiles {
		executed := p.Statements[:0]
		for _, s := range p.Statements {
			if s.Count > 0 {
				executed = append(executed, s)
			}
		}
		if p.Statements = executed; len(executed) == 0 {
			continue
		}
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(fmt.Sprintf("%s/%d.jsonl", folder, os.Getpid()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines) // one write, so that tests at the same time do not mix
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
