package catalogue_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// update writes the tables of refusals in docs instead of comparing them, for make generate.
var update = flag.Bool("update", false, "write the tables of refusals in docs")

const (
	refusalsBegin = "<!-- refusals: make generate -->\n"
	refusalsEnd   = "<!-- end of refusals -->\n"
)

// Every refusal has its sentence in the API's document and in docs: those of the rules, which TestRefusalCodesAreCatalogued
// finds in the functions, in sport.md; the engine's own in contract.md. Whether each of the rules' is asserted by a test is
// looked at where they run (tests/sql); for the engine's own, some test of SQL or of the server has to name the answer.
func TestRefusalsAreDocumented(t *testing.T) {
	conn := harness.New(t).Conn(t)
	openapi := read(t, "../../docs/openapi.yaml")

	// Which commands give a code with this sentence.
	givenBy := map[string]map[string][]string{}
	for _, c := range commands(t, conn) {
		described := section(openapi, c.name())
		if described == "" {
			t.Errorf("docs/openapi.yaml does not describe %s", c.name())
		}
		for code, text := range c.Refusals {
			if !strings.Contains(described, fmt.Sprintf("- `%s`: %s", code, text)) {
				t.Errorf("docs/openapi.yaml does not say that %s may be refused %s: %s", c.name(), code, text)
			}
			if givenBy[code] == nil {
				givenBy[code] = map[string][]string{}
			}
			givenBy[code][text] = append(givenBy[code][text], c.name())
		}
	}
	var rules []string
	for _, code := range slices.Sorted(maps.Keys(givenBy)) {
		for _, text := range slices.Sorted(maps.Keys(givenBy[code])) {
			rules = append(rules, fmt.Sprintf("| `%s` | %s | %s |\n", code, strings.Join(givenBy[code][text], ", "), text))
		}
	}
	compare(t, "../../docs/sport.md", "| code | command | sentence |\n|---|---|---|\n", rules)

	// The API's document lists the engine's own.
	var engine []string
	asserted := tests(t)
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^ *\\| `(\\w+)` \\| (\\w+)(?: \\(500\\))? \\| (.*) \\|$").FindAllStringSubmatch(string(openapi), -1) {
		known[m[1]] = true
		if m[2] == "refused" || m[2] == "conflict" {
			sentence(t, m[1], m[3])
			if !strings.Contains(asserted, m[2]+" "+m[1]+"'") && !strings.Contains(asserted, `"`+m[1]+`"`) {
				t.Errorf("no test in tests/sql or server asserts the engine's own %s %s", m[2], m[1])
			}
			engine = append(engine, fmt.Sprintf("| `%s` | %s | %s |\n", m[1], m[2], m[3]))
		}
	}
	slices.Sort(engine)
	compare(t, "../../docs/contract.md", "| code | outcome | sentence |\n|---|---|---|\n", engine)
	given := regexp.MustCompile(`road\.reason\('(\w+)'`)
	for name, text := range sources(t) {
		for _, m := range given.FindAllStringSubmatch(text, -1) {
			if !known[m[1]] {
				t.Errorf("functions/%s gives the reason %s, which docs/openapi.yaml does not list", name, m[1])
			}
		}
	}
}

// tests is the text of all pgTAP files and of the server's tests.
func tests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for dir, suffix := range map[string]string{"../sql": ".sql", "../../server": "_test.go"} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, suffix) {
				return err
			}
			all.Write(read(t, name))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// section is what the API's document says of a command: its schema, up to the next one. Lines are not folded there.
func section(openapi []byte, command string) string {
	_, after, found := bytes.Cut(openapi, []byte("\n    "+command+":\n"))
	if !found {
		return ""
	}
	if next := regexp.MustCompile(`(?m)^ {4}\w`).FindIndex(after); next != nil {
		after = after[:next[0]]
	}
	return string(after)
}

// compare fails for every row of a table that a file has not, and for every one that it has besides.
func compare(t *testing.T, file, head string, rows []string) {
	t.Helper()
	before, rest, begun := strings.Cut(string(read(t, file)), refusalsBegin)
	table, after, ended := strings.Cut(rest, refusalsEnd)
	if !begun || !ended {
		t.Fatalf("%s has no table of refusals: it stands between %q and %q", file, refusalsBegin, refusalsEnd)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+refusalsBegin+"\n"+head+strings.Join(rows, "")+"\n"+refusalsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, row := range rows {
		if !strings.Contains(table, row) {
			t.Errorf("%s lacks the row %s", file, row)
		}
	}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| `") && !slices.Contains(rows, line) {
			t.Errorf("%s has the row %s", file, line)
		}
	}
}
