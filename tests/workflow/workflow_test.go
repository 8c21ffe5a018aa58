// Package workflow_test does what docs/writing-a-workflow.md says with the page's example: adds it, plays it, runs the
// checks on it, breaks it, takes it out.
package workflow_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"umpire/functions"
	"umpire/server/postgres"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

const (
	root    = "../.."
	page    = root + "/docs/writing-a-workflow.md"
	example = root + "/docs/examples/darts"

	foldLine = `{{ template "sport/fixture/fold.sql" . }}` // the page says: before this line
)

// block is the page's code block that begins with start.
func block(t *testing.T, start string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(m[1], start) {
			return m[1]
		}
	}
	t.Fatalf("%s has no code block that begins with %s", page, start)
	return ""
}

func manifestLines(t *testing.T) string { return block(t, `{{ template "sport/darts/`) }
func dropLines(t *testing.T) string     { return block(t, `drop function if exists sport.darts_`) }

// changed is the binary's package with a change, and with the code hash that belongs to it.
func changed(t *testing.T, change func(files fstest.MapFS)) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	collect(t, functions.FS, files)
	change(files)
	hash, err := postgres.CodeHash(files)
	if err != nil {
		t.Fatal(err)
	}
	files[postgres.CodeHashFile] = &fstest.MapFile{Data: postgres.CodeHashSQL(hash)}
	return files
}

func collect(t *testing.T, from fs.FS, into fstest.MapFS) {
	t.Helper()
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".sql") {
			return err
		}
		text, err := fs.ReadFile(from, name)
		into[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withDarts is the package after the page's first part.
func withDarts(t *testing.T) fs.FS {
	t.Helper()
	return changed(t, func(files fstest.MapFS) {
		collect(t, os.DirFS(example+"/functions"), files)
		files["install.sql"].Data = []byte(insertLines(t, string(files["install.sql"].Data)))
	})
}

func insertLines(t *testing.T, manifest string) string {
	t.Helper()
	if strings.Count(manifest, foldLine) != 1 {
		t.Fatalf("install.sql does not name sport/fixture/fold.sql once; %s says: before that line", page)
	}
	return strings.Replace(manifest, foldLine, manifestLines(t)+foldLine, 1)
}

// withoutDarts is the package after the page's last part.
func withoutDarts(t *testing.T) fs.FS {
	t.Helper()
	return changed(t, func(files fstest.MapFS) {
		files["dropped.sql"].Data = append(files["dropped.sql"].Data, dropLines(t)...)
	})
}

func install(t *testing.T, db *harness.DB, files fs.FS) error {
	t.Helper()
	report, err := postgres.Migrate(t.Context(), db.URL(), postgres.MigrateOptions{Source: postgres.Source{Functions: files}})
	if err == nil && !report.Installed {
		t.Fatal("nothing was installed")
	}
	return err
}
