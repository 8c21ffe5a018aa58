package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"umpire/functions"
	"umpire/tests/harness"
)

// function is one PL/pgSQL function and what of it was executed.
type function struct {
	name    string // road.execute
	file    string // road/execute.sql below functions/; empty for what install.sql generates
	total   int
	covered int
	missed  []missed
}

type missed struct {
	line int    // of the file; of the body for a generated function
	name string // what plpgsql_check calls the statement
	text string
}

// plpgsql adds up what the test processes wrote into folder.
func plpgsql(installed []harness.Profile, folder string) ([]function, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the tests wrote no profile: did none of them use a database?")
	}
	executed := executions{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		err = errors.Join(executed.read(f), f.Close())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	sources, err := readSources(functions.FS)
	if err != nil {
		return nil, err
	}
	return merge(installed, executed, sources), nil
}

// executions counts by function with its body, then by statement. The body belongs to it: a test that breaks a function
// on purpose executes another one.
type executions map[[2]string]map[int]int64

func (x executions) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var p harness.Profile
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return err
		}
		id := [2]string{p.Function, p.Source}
		if x[id] == nil {
			x[id] = map[int]int64{}
		}
		for _, s := range p.Statements {
			x[id][s.ID] += s.Count
		}
	}
	return lines.Err()
}

// source is where a function comes from.
type source struct {
	file  string
	lines []string // of the file
	body  int      // the file's line, from 0, that is the body's line 1
}

var (
	defines = regexp.MustCompile(`(?m)^create or replace function (\w+\.\w+)\(`)
	begins  = regexp.MustCompile(`(?m)^as \$\w*\$`)
)

func readSources(files fs.FS) (map[string]source, error) {
	sources := map[string]source{}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".sql" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		m, b := defines.FindSubmatch(text), begins.FindIndex(text)
		if m != nil && b != nil {
			sources[string(m[1])] = source{name, strings.Split(string(text), "\n"), strings.Count(string(text[:b[0]]), "\n")}
		}
		return nil
	})
	return sources, err
}

func merge(installed []harness.Profile, executed executions, sources map[string]source) []function {
	var list []function
	for _, p := range installed {
		name, _, _ := strings.Cut(p.Function, "(")
		from := sources[name]
		f := function{name: name, file: from.file, total: len(p.Statements)}
		counts := executed[[2]string{p.Function, p.Source}]
		for _, s := range p.Statements {
			if counts[s.ID] > 0 {
				f.covered++
				continue
			}
			m := missed{line: s.Line, name: s.Name}
			if i := from.body + s.Line - 1; from.file != "" && i < len(from.lines) {
				m.line, m.text = i+1, strings.TrimSpace(from.lines[i])
			}
			f.missed = append(f.missed, m)
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b function) int { return strings.Compare(a.folder()+a.name, b.folder()+b.name) })
	return list
}

// folder is the part of functions/ that a function belongs to. Generated functions are the road's dispatchers.
func (f function) folder() string {
	if f.file == "" {
		return strings.Split(f.name, ".")[0]
	}
	return strings.Split(f.file, "/")[0]
}

func (f function) where() string {
	if f.file == "" {
		return f.name + " (generated)"
	}
	return "functions/" + f.file
}

// folders adds functions up by folder, in order.
func folders(list []function) (names []string, sums map[string]function) {
	sums = map[string]function{}
	for _, f := range list {
		sum := sums[f.folder()]
		sum.total, sum.covered = sum.total+f.total, sum.covered+f.covered
		sums[f.folder()] = sum
	}
	return slices.Sorted(maps.Keys(sums)), sums
}
