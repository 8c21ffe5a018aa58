package workflow_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newcomer is a copy of the repository in which somebody has done what the page says, with the SQL changed by change.
func newcomer(t *testing.T, change func(path, text string) string) string {
	t.Helper()
	dir := t.TempDir()
	copyTree(t, os.DirFS(root), dir, func(path, text string) string {
		if path == "functions/install.sql" {
			return insertLines(t, text)
		}
		return text
	})
	// cp -r docs/examples/darts/. .
	copyTree(t, os.DirFS(example), dir, change)
	if out, err := command(t, dir, "go", "run", "./server/postgres/codehash"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func copyTree(t *testing.T, from fs.FS, to string, change func(path, text string) string) {
	t.Helper()
	err := fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != "." && (strings.HasPrefix(d.Name(), ".") || path == "bin" || path == "data") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		}
		text, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), []byte(change(path, string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func check(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	return command(t, dir, "go", append([]string{"test", "-timeout", "5m", "-vet=off"}, args...)...)
}

// The checks that every function passes, and the example's own pgTAP files, by the page's commands.
func TestTheExamplePassesTheChecks(t *testing.T) {
	dir := newcomer(t, func(_, text string) string { return text })
	// make generate, which writes the documents, was not run in the copy.
	if out, err := check(t, dir, "-skip", "TestRefusalsAreDocumented", "./tests/catalogue"); err != nil {
		t.Errorf("tests/catalogue: %v\n%s", err, out)
	}
	out, err := check(t, dir, "-v", "-run", "TestSQL/(darts_.*|fixture_fold)$", "./tests/sql")
	if err != nil {
		t.Errorf("tests/sql: %v\n%s", err, out)
	}
	for _, file := range []string{"darts_visit/bust", "darts_throw_off/wrong_workflow", "fixture_fold/sports"} {
		if !strings.Contains(out, "--- PASS: TestSQL/"+file) {
			t.Errorf("%s was not run:\n%s", file, out)
		}
	}
}

// Each of these is something that the page forbids; the checks must name it.
func TestTheChecksNoticeWhatThePageForbids(t *testing.T) {
	const visit = "functions/sport/darts/visit.sql"
	breaks := []struct{ path, from, to, says string }{
		{visit, "    if jsonb_array_length", "    perform 1 from sport.fixture f for update;\n    if jsonb_array_length", "sport.darts_visit(jsonb,jsonb) locks: for update"},
		{visit, "    return p_state ||", "    begin\n        v_left := v_left;\n    exception when sqlstate 'UM001' then\n        null;\n    end;\n    return p_state ||", "sport.darts_visit(jsonb,jsonb) has an EXCEPTION block"},
		{"functions/sport/darts/throw_off.sql", "    return p_state ||", "    execute 'select 1';\n    return p_state ||", "sport.darts_throw_off(jsonb,jsonb) builds SQL at run time"},
		{"functions/sport/darts/throw_off.sql", "    return p_state ||", "    delete from road.note;\n    return p_state ||", "sport.darts_throw_off(jsonb,jsonb) writes the engine's tables"},
		{"functions/sport/darts/commands.sql", `    "darts_missing": "A visit has three darts unless it finishes the leg or goes bust.",` + "\n", "", "darts.visit may be refused darts_missing, which the catalogue does not say"},
		{"functions/sport/darts/fold.sql", "immutable", "volatile", "sport.darts_fold(jsonb,jsonb) has volatility v, want i"},
	}
	used := make([]bool, len(breaks))
	dir := newcomer(t, func(path, text string) string {
		for i, b := range breaks {
			if path == b.path && strings.Contains(text, b.from) {
				text, used[i] = strings.Replace(text, b.from, b.to, 1), true
			}
		}
		return text
	})
	out, err := check(t, dir, "-run", "TestHandlersKeepToTheirOwnRows|TestForbiddenConstructs|TestRefusalCodesAreCatalogued|TestVolatility", "./tests/catalogue")
	if err == nil {
		t.Fatalf("all is well, say the checks:\n%s", out)
	}
	for i, b := range breaks {
		if !used[i] {
			t.Errorf("%s does not hold this text any more: %s", b.path, b.from)
		} else if !strings.Contains(out, b.says) {
			t.Errorf("not noticed: %s\n%s", b.says, out)
		}
	}
}
