package acceptance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// match is a file as `umpire replay` reads it.
type match struct {
	Title    string           `json:"title"`
	Event    event            `json:"event"`
	Fixture  fixture          `json:"fixture"`
	Squads   []map[string]any `json:"squads,omitempty"`
	Sources  []map[string]any `json:"sources,omitempty"`
	Commands []command        `json:"commands"`
	Expected map[string]any   `json:"expected"`

	date  string   // of the day
	claim *command // what the same record says of the score; sent after the plays
}

// key is the same for one match of two providers.
func (m match) key() string {
	return fmt.Sprint(m.date, " ", m.Fixture.Input["home"], " ", m.Fixture.Input["away"])
}

// claims lets a source say something about the score, after all else.
func (m *match) claims(c command) {
	m.Sources = []map[string]any{{"group": "score", "order": []any{"entered", "plays", c.Input["source"]}}}
	m.Commands = append(m.Commands, c)
}

type event struct {
	Ref   string         `json:"ref"`
	Input map[string]any `json:"input"`
}

type fixture struct {
	Ref   string         `json:"ref"`
	Input map[string]any `json:"input"`
}

type command struct {
	Workflow string         `json:"workflow"`
	Code     string         `json:"code"`
	Input    map[string]any `json:"input"`
	Creates  string         `json:"creates,omitempty"`
}

// play is something that happened, with its place in the match.
type play struct {
	period        int // of periods
	minute, added int
	class         int // of two in the same minute the lower comes first
	code          string
	input         map[string]any
}

var periods = []string{"H1", "H2", "ET1", "ET2"}

// tell puts plays in order, 45+9 before 46, and puts the periods round them.
func tell(plays []play, played int) []command {
	slices.SortStableFunc(plays, func(a, b play) int {
		return slices.Compare([]int{a.period, a.minute, a.added, a.class}, []int{b.period, b.minute, b.added, b.class})
	})
	var all []command
	football := func(code string, input map[string]any) {
		all = append(all, command{Workflow: "football", Code: code, Input: input})
	}
	for i, period := range periods[:played] {
		football("period_start", map[string]any{"period": period})
		for _, p := range plays {
			if p.period != i {
				continue
			}
			p.input["minute"] = p.minute
			if p.added > 0 {
				p.input["added"] = p.added
			}
			football(p.code, p.input)
		}
		football("period_end", map[string]any{"period": period})
	}
	return all
}

func score(home, away int) map[string]int { return map[string]int{"home": home, "away": away} }

// write puts a match into a file of its own.
func write(t *testing.T, dir string, m match) string {
	t.Helper()
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, m.Fixture.Ref+".json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
