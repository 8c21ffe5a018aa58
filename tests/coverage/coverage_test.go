package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"umpire/tests/harness"
)

var installedNow = []harness.Profile{
	{Function: "road.a(text)", Source: "new", Statements: []harness.Statement{{ID: 0, Line: 2, Name: "statement block"}, {ID: 1, Line: 3, Name: "RETURN"}}},
	{Function: "road.dispatch(road.call)", Source: "made", Statements: []harness.Statement{{ID: 0, Line: 1, Name: "statement block"}}},
}

var files = fstest.MapFS{"road/a.sql": {Data: []byte("-- A.\ncreate or replace function road.a(p text)\nlanguage plpgsql\nas $$\nbegin\n    return 1;\nend\n$$;\n")}}

func TestMerge(t *testing.T) {
	executed := executions{}
	// Two processes; the second ran a body that a test had put in the function's place.
	err := executed.read(strings.NewReader(`{"function":"road.a(text)","source":"new","statements":[{"id":0,"count":1}]}
{"function":"road.dispatch(road.call)","source":"made","statements":[{"id":0,"count":1}]}
{"function":"road.a(text)","source":"other","statements":[{"id":0,"count":1},{"id":1,"count":1}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := readSources(files)
	if err != nil {
		t.Fatal(err)
	}
	list := merge(installedNow, executed, sources)
	if len(list) != 2 || list[0].covered != 1 || list[0].total != 2 || list[1].covered != 1 {
		t.Fatalf("got %+v", list)
	}
	if m := list[0].missed; len(m) != 1 || m[0] != (missed{6, "RETURN", "return 1;"}) {
		t.Errorf("missed %+v", m)
	}

	var out strings.Builder
	err = report(&out, list, []goPackage{{"umpire/x", 4, 1}})
	if err == nil || !strings.Contains(err.Error(), "2 of 3 statements") || !strings.Contains(err.Error(), "90 %") {
		t.Errorf("two thirds are below the bar, got %v", err)
	}
	for _, want := range []string{"functions/road/a.sql:6  RETURN  return 1;", "50.0 %", "66.6 %  functions/road, together", "25.0 %  umpire/x"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not printed: %s\n%s", want, out.String())
		}
	}

	if err := executed.read(strings.NewReader(`{"function":"road.a(text)","source":"new","statements":[{"id":1,"count":1}]}`)); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := report(&out, merge(installedNow, executed, sources), nil); err != nil {
		t.Errorf("all is executed, got %v", err)
	}
	if strings.Contains(out.String(), "no test executed") {
		t.Errorf("all is executed:\n%s", out.String())
	}
}

// No profile is an error, not a coverage of nothing.
func TestNoProfile(t *testing.T) {
	folder := t.TempDir()
	if _, err := plpgsql(installedNow, folder); err == nil {
		t.Error("an empty folder")
	}
	if err := os.WriteFile(filepath.Join(folder, "1.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := plpgsql(installedNow, folder); err == nil {
		t.Error("half a line")
	}
	if err := report(&strings.Builder{}, nil, nil); err == nil {
		t.Error("no functions")
	}
}

// A block that one test binary executed and another did not is executed, and counts once.
func TestGoPackages(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "go.out")
	text := "mode: set\numpire/x/a.go:1.1,2.2 3 0\numpire/x/a.go:3.1,4.2 1 0\numpire/x/a.go:1.1,2.2 3 1\numpire/x/a.go:3.1,4.2 1 0\n"
	if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := goPackages(profile)
	if err != nil || len(list) != 1 || list[0] != (goPackage{"umpire/x", 4, 3}) {
		t.Errorf("got %+v %v", list, err)
	}
}
