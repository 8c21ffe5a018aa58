package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"umpire/server/road"
	"umpire/tests/harness"
)

// small is a bundle of a match that nobody played.
const small = `{
	"id": "M-1", "tournament": "Small Cup", "stage": "final", "date": "2023-01-01",
	"teams": {
		"home": {"name": "Reds", "starters": [PLAYERS-A], "squad": [PLAYERS-A, {"id": "A12", "name": "A", "shirt": 12, "pos": "FW"}]},
		"away": {"name": "Blues", "starters": [PLAYERS-B], "squad": [PLAYERS-B]}
	},
	"plays": [
		{"play": "period_start", "period": "H1"},
		{"play": "own_goal", "period": "H1", "minute": 18, "credited_to": "home", "player_id": "B2"},
		{"play": "yellow", "period": "H1", "minute": 45, "added": 2, "side": "away", "player_id": "B3"},
		{"play": "period_end", "period": "H1"},
		{"play": "period_start", "period": "H2"},
		{"play": "substitution", "period": "H2", "minute": 60, "side": "home", "off_id": "A2", "on_id": "A12"},
		{"play": "second_yellow", "period": "H2", "minute": 70, "side": "away", "player_id": "B3"},
		{"play": "period_end", "period": "H2"}
	],
	"expected": {
		"score": [1, 0], "after_period": {"H1": [1, 0], "H2": [1, 0]}, "shootout": null,
		"yellows": {"home": 0, "away": 1}, "dismissals": {"home": 0, "away": 1}, "subs": {"home": 1, "away": 0}
	}
}`

func bundleFile(t *testing.T, changes ...string) string {
	t.Helper()
	text := small
	for _, letter := range []string{"A", "B"} {
		var players []string
		for i := range 11 {
			pos := "FW"
			if i == 0 {
				pos = "GK"
			}
			player, err := json.Marshal(map[string]any{"id": letter + string("123456789XY"[i]), "name": letter, "shirt": i + 1, "pos": pos})
			if err != nil {
				t.Fatal(err)
			}
			players = append(players, string(player))
		}
		text = strings.ReplaceAll(text, "PLAYERS-"+letter, strings.Join(players, ","))
	}
	if changed := strings.NewReplacer(changes...).Replace(text); len(changes) > 0 && changed == text {
		t.Fatalf("the bundle does not hold %v any more", changes)
	} else {
		text = changed
	}
	name := filepath.Join(t.TempDir(), "bundle.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReplayFiles(t *testing.T) {
	db := harness.New(t)
	token, hash := road.NewToken()
	if err := road.AddSender(t.Context(), db.Conn(t), road.NewSender{Name: "scorer", TokenSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	s := serving(t, db, nil)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serveUntil(ctx) }()
	defer func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}()
	call := func(command string, args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{command, "--url", s.url(), "--token", token}, args...), nil, &out)
		return out.String(), err
	}
	file := bundleFile(t)

	// Event, two squads, fixture, two line-ups, eight plays; sent again, all are duplicates.
	for _, outcome := range []string{"14 accepted", "14 duplicate"} {
		if out, err := call("replay", file); err != nil || !strings.Contains(out, outcome) {
			t.Errorf("want %s: %v\n%s", outcome, err, out)
		}
		if out, err := call("verify", file); err != nil || !strings.Contains(out, "1 of 1 matches") {
			t.Errorf("verify: %v\n%s", err, out)
		}
	}
	// What a file expects is not always what is shown.
	for from, to := range map[string]string{
		`"score": [1, 0], "after`: `"score": [2, 0], "after`, `"H1": [1, 0]`: `"H1": [0, 0]`,
		`"yellows": {"home": 0, "away": 1}`:    `"yellows": {"home": 1, "away": 1}`,
		`"dismissals": {"home": 0, "away": 1}`: `"dismissals": {"home": 0, "away": 0}`,
		`"subs": {"home": 1`:                   `"subs": {"home": 2`, `"shootout": null`: `"shootout": [4, 2]`,
	} {
		if out, err := call("verify", bundleFile(t, from, to)); err == nil || !strings.Contains(err.Error(), "does not give the known result") {
			t.Errorf("%s: %v\n%s", to, err, out)
		}
	}

	// Two scorers, at a speed that takes a moment only.
	raced := bundleFile(t, `"M-1"`, `"M-2"`)
	if out, err := call("replay", "--senders", "2", "--speed", "100000", raced); err != nil || !strings.Contains(out, "8 conflict") {
		t.Errorf("two scorers: %v\n%s", err, out)
	}
	if out, err := call("verify", file, raced); err != nil || !strings.Contains(out, "2 of 2 matches") {
		t.Errorf("verify: %v\n%s", err, out)
	}

	// A play that the rules forbid ends the replay with the reason.
	if _, err := call("replay", bundleFile(t, `"M-1"`, `"M-3"`, `"player_id": "B2"`, `"player_id": "A2"`)); err == nil || !strings.Contains(err.Error(), "not_on_pitch") {
		t.Errorf("a scorer of the wrong side: %v", err)
	}
	if _, err := call("replay", bundleFile(t, `"plays"`, `"pays"`)); err == nil || !strings.Contains(err.Error(), "neither a match") {
		t.Errorf("a file of something else: %v", err)
	}
}
