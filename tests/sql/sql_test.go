// Package sql_test runs the pgTAP files of this folder, one folder per function, each file by its own name:
//
//	go test ./tests/sql -run 'TestSQL/execute/duplicate'
//
// A file runs by hand as well: psql -d DATABASE -f tests/sql/execute/duplicate.sql prints TAP and leaves nothing behind.
package sql_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/functions"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// fileLimit bounds one file; they take a fraction of a second.
const fileLimit = time.Minute

func TestSQL(t *testing.T) {
	files := testFiles(t)
	psql := findPsql(t)

	first := harness.New(t)
	if !first.HasExtension(t, "pgtap") {
		major := first.Cluster().Version / 10000
		t.Fatalf("the server lacks pgTAP, in which these tests are written. It helps to run\n    apt-get install postgresql-%d-pgtap", major)
	}
	// Files that run at the same time need a database each: they use the same references.
	databases := make(chan string, runtime.GOMAXPROCS(0))
	databases <- first.URL()
	for range cap(databases) - 1 {
		databases <- harness.New(t).URL()
	}

	reasons := &seen{}
	conn := first.Conn(t)
	t.Cleanup(func() {
		if reasons.files() == len(files) && !t.Failed() {
			checkReasons(t, conn, reasons)
		}
	})
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".sql"), func(t *testing.T) {
			t.Parallel()
			url := <-databases
			defer func() { databases <- url }()
			runFile(t, psql, url, file, reasons)
		})
	}
}

// Every function has a folder, and every folder a function.
func TestEveryFunctionHasTests(t *testing.T) {
	conn := harness.New(t).Conn(t)
	rows, err := conn.Query(t.Context(), `select distinct p.proname from pg_proc p where p.pronamespace::regnamespace::text in ('road', 'sport', 'game', 'ops')`)
	if err != nil {
		t.Fatal(err)
	}
	named, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	named = append(named, "guard") // no function: what install.sql runs first
	have := map[string]bool{}
	for _, file := range testFiles(t) {
		have[filepath.Dir(file)] = true
	}
	for _, name := range named {
		if !have[name] {
			t.Errorf("function %s has no test in tests/sql/%s/", name, name)
		}
		delete(have, name)
	}
	for name := range have {
		t.Errorf("tests/sql/%s is named after no function", name)
	}
}

func testFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sql") && path != "builders.sql" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no test files here")
	}
	return files
}

// findPsql prefers the program beside the newest server binaries: what a distribution puts on the PATH may be a wrapper.
func findPsql(t *testing.T) string {
	t.Helper()
	beside, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if err != nil {
		t.Fatal(err)
	}
	if len(beside) > 0 {
		return slices.MaxFunc(beside, func(a, b string) int { return major(a) - major(b) })
	}
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Fatalf("these tests run in psql, which is not to be found (%v). It helps to run\n    apt-get install postgresql-client", err)
	}
	return psql
}

func major(path string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	if err != nil {
		return 0
	}
	return n
}

var (
	planLine   = regexp.MustCompile(`^1\.\.(\d+)`)
	resultLine = regexp.MustCompile(`^(not )?ok \d+( .*)?$`)
	reasonLine = regexp.MustCompile(`INFO:  reason: (\S+) (\S+) (\S+)`)
	assertLine = regexp.MustCompile(`^ok \d+ - (\w+\.\w+) refuses (\w+)`)
)

func runFile(t *testing.T, psql, url, file string, reasons *seen) {
	ctx, cancel := context.WithTimeout(t.Context(), fileLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, psql, "--no-psqlrc", "--dbname", url, "--file", file)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c build.record=on", "PGCLIENTENCODING=UTF8")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	failed := cmd.Run()

	for _, m := range reasonLine.FindAllStringSubmatch(errs.String(), -1) {
		reasons.add(m[1], m[2], m[3])
	}
	reasons.ran()

	plan, results := -1, 0
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if m := planLine.FindStringSubmatch(line); m != nil {
			plan, _ = strconv.Atoi(m[1]) // digits by the pattern
		}
		if m := resultLine.FindStringSubmatch(line); m != nil {
			results++
			if m[1] != "" {
				t.Error(line)
			}
		}
		if m := assertLine.FindStringSubmatch(line); m != nil {
			reasons.assert(m[1], m[2])
		}
	}
	switch {
	case failed != nil:
		t.Errorf("psql: %v", failed)
	case plan < 0:
		t.Error("no plan")
	case results != plan:
		t.Errorf("planned %d tests, ran %d", plan, results)
	}
	if t.Failed() {
		t.Logf("%s:\n%s%s", file, out.String(), reasonLine.ReplaceAllString(errs.String(), ""))
	}
}

// seen collects the reasons that commands were given while the files ran.
type seen struct {
	mu      sync.Mutex
	count   int
	command map[string]bool // "football.goal refused not_running"
	reason  map[string]bool // "not_running"
	assured map[string]bool // what a test that passed is about, as in command
}

func (s *seen) add(command, outcome, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.command == nil {
		s.command, s.reason = map[string]bool{}, map[string]bool{}
	}
	s.command[fmt.Sprintf("%s %s %s", command, outcome, reason)] = true
	s.reason[reason] = true
}

// assert keeps that a test with the description "COMMAND refuses REASON" has passed.
func (s *seen) assert(command, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.assured == nil {
		s.assured = map[string]bool{}
	}
	s.assured[command+" refused "+reason] = true
}

func (s *seen) ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
}

func (s *seen) files() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// checkReasons asks whether every refusal of every command of the catalogue, and every reason that the engine itself
// gives, was given to some test, and for each of the former whether a test says that it is about it.
func checkReasons(t *testing.T, conn *pgx.Conn, s *seen) {
	ctx := context.Background() // the test's own ends before its clean-up
	rows, err := conn.Query(ctx, `
		select c.workflow || '.' || c.code || ' refused ' || r
		from road.catalogue_command c, jsonb_object_keys(c.refusals) r
		order by 1`)
	if err != nil {
		t.Error(err)
		return
	}
	wanted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Error(err)
		return
	}
	for _, w := range wanted {
		if !s.command[w] {
			t.Errorf("no test saw: %s", w)
		}
		if !s.assured[w] {
			t.Errorf("no test of the description COMMAND refuses REASON passed for: %s", w)
		}
	}
	source, err := fs.ReadFile(functions.FS, "road/execute.sql")
	if err != nil {
		t.Error(err)
		return
	}
	own := map[string]bool{}
	for _, m := range regexp.MustCompile(`road\.reason\('(\w+)'`).FindAllSubmatch(source, -1) {
		own[string(m[1])] = true
	}
	if len(own) < 8 {
		t.Errorf("road/execute.sql seems to give only %d reasons; is it still read the right way?", len(own))
	}
	for _, code := range slices.Sorted(maps.Keys(own)) {
		if !s.reason[code] {
			t.Errorf("no test saw the engine's own reason %s", code)
		}
	}
}
