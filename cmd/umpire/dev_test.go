package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// The demo through the whole stack, twice on one database: the second time every command is a duplicate.
func TestDemoReplaysTheFinal(t *testing.T) {
	db := harness.New(t)
	for _, outcome := range []string{"43 accepted", "43 duplicate"} {
		out, err := umpire(t, db, "dev", "--once", "--listen", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range []string{
			`first half\s+2\s+0`, `second half\s+2\s+2`, `extra time 1\s+2\s+2`, `extra time 2\s+3\s+3`, `shoot-out\s+4\s+2`,
			outcome + `; the match is finished`, `curl -s http://127\.0\.0\.1:\d+/`, `/docs`,
		} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("the demo does not print %s:\n%s", want, out)
			}
		}
	}
	if out, err := umpire(t, db, "ops", "verify"); err != nil {
		t.Errorf("verify after the demo: %v\n%s", err, out)
	}
}

// The demo with nothing but a Docker engine.
func TestDemoInAContainer(t *testing.T) {
	image := os.Getenv(harness.ImageVariable)
	if image == "" {
		t.Skip(harness.ImageVariable + " names no image")
	}
	var out bytes.Buffer
	err := run(t.Context(), []string{"dev", "--once", "--listen", "127.0.0.1:0", "--image", image}, nil, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"43 accepted; the match is finished", "This is a throwaway database"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo does not print %q:\n%s", want, out.String())
		}
	}
}

// A result that does not come out as known is an error, not a pretty table.
func TestDemoComparesWithTheKnownResult(t *testing.T) {
	m, err := readMatch(worldCupFinal)
	if err != nil {
		t.Fatal(err)
	}
	var state fixtureState
	state.Data.Status = "finished"
	state.Data.Score.Score = goals{3, 2}
	state.Data.Score.Periods = m.Expected.Periods
	if err := m.compare(&shown{fixtureState: state}); err == nil || !strings.Contains(err.Error(), "the score is {3 2}, not {3 3}") || !strings.Contains(err.Error(), "shoot-out") {
		t.Errorf("got %v", err)
	}
}

func TestSenders(t *testing.T) {
	db := harness.New(t)
	token, err := umpire(t, db, "sender", "add", "provider-1", "--workflows", "event,fixture", "--may-act")
	if err != nil || !strings.HasPrefix(token, "umt_") {
		t.Fatalf("add: %q %v", token, err)
	}
	if _, err := umpire(t, db, "sender", "add", "provider-1"); err == nil || !strings.Contains(err.Error(), "names are not used twice") {
		t.Errorf("adding twice: %v", err)
	}
	if _, err := umpire(t, db, "sender", "add", "provider-2", "--workflows", "tennis"); err == nil || !strings.Contains(err.Error(), "no workflow tennis") {
		t.Errorf("an unknown workflow: %v", err)
	}
	rotated, err := umpire(t, db, "sender", "rotate", "provider-1")
	if err != nil || !strings.HasPrefix(rotated, "umt_") || rotated == token {
		t.Errorf("rotate: %q %v", rotated, err)
	}
	if _, err := umpire(t, db, "sender", "disable", "provider-1"); err != nil {
		t.Errorf("disable: %v", err)
	}
	if _, err := umpire(t, db, "sender", "disable", "nobody"); err == nil || !strings.Contains(err.Error(), "no sender nobody") {
		t.Errorf("disabling nobody: %v", err)
	}
	out, err := umpire(t, db, "sender", "list")
	if err != nil || !regexp.MustCompile(`provider-1\s+event,fixture\s+all\s+true\s+false\s+\S+\s+\S+T\S+\s+\S+T`).MatchString(out) {
		t.Errorf("list: %v\n%s", err, out)
	}
	if strings.Contains(out, strings.TrimSpace(token)) {
		t.Error("the list shows a token")
	}
}
