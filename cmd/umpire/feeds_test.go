package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// OB-04: who holds the readers up is named, in another database and as a prepared transaction as well, by the command and
// by the file for psql.
func TestOB04Horizon(t *testing.T) {
	db := harness.New(t)
	admin := db.Conn(t)
	fixture(t, admin)
	if _, err := admin.Exec(t.Context(), "begin; create table held (); prepare transaction 'left-behind'"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := admin.Exec(t.Context(), "rollback prepared 'left-behind'"); err != nil {
			t.Error(err)
		}
	}()
	out, err := umpireAt(t, login(t, db, "night_operator", "umpire_ops"), "ops", "horizon")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)what\s+prepared transaction.*gid\s+left-behind.*age\s+\S`).MatchString(out) {
		t.Errorf("horizon does not show the prepared transaction:\n%s", out)
	}
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Fatal("psql is needed: ", err)
	}
	shown, err := exec.Command(psql, "-X", "-A", "-v", "ON_ERROR_STOP=1", "-f", filepath.Join("..", "..", "sql", "runbook", "horizon.sql"), db.URL()).CombinedOutput()
	if err != nil || !strings.Contains(string(shown), "left-behind") {
		t.Errorf("%v\n%s", err, shown)
	}
}

// An operator reads, acknowledges, rewinds and drops any sender's consumer; rebase and prune say what they did.
func TestConsumerByCommand(t *testing.T) {
	db := harness.New(t)
	fixture(t, db.Conn(t))
	if _, err := umpire(t, db, "sender", "add", "reader", "--read-log"); err != nil {
		t.Fatal(err)
	}
	must := func(want string, args ...string) string {
		t.Helper()
		out, err := umpire(t, db, args...)
		if err != nil || !strings.Contains(out, want) {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	must(`"state": "live"`, "consumer", "create", "stats", "--sender", "reader", "--start")
	page := must(`"code": "create"`, "consumer", "read", "stats")
	next := regexp.MustCompile(`"next": "([^"]+)"`).FindStringSubmatch(page)
	if next == nil {
		t.Fatal(page)
	}
	must(next[1], "consumer", "ack", "stats", next[1])
	must(`"items": []`, "consumer", "read", "stats")
	must(`"position"`, "consumer", "rewind", "stats")
	must(`"code": "create"`, "consumer", "read", "stats")
	if out := must("stats", "consumer", "list"); !regexp.MustCompile(`stats\s+reader\s+live`).MatchString(out) {
		t.Error(out)
	}
	if _, err := umpire(t, db, "consumer", "create", "other", "--sender", "scorer"); err == nil {
		t.Error("a sender that may not read logs has a consumer")
	}
	must("0 notes renumbered, 0 consumers moved", "ops", "rebase")
	must("0 notes pruned", "ops", "prune")
	must("Dropped stats", "consumer", "drop", "stats")
	for _, args := range [][]string{{"consumer", "read", "stats"}, {"consumer", "ack", "stats", "x"}, {"consumer", "drop", "stats"}} {
		if out, err := umpire(t, db, args...); err == nil || !strings.Contains(fmt.Sprint(err), "no such consumer") {
			t.Errorf("%v: %s %v", args, out, err)
		}
	}
}
