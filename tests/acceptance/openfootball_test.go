package acceptance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// team is a name, or an object that has one.
type team string

func (n *team) UnmarshalJSON(text []byte) error {
	var object struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &object) == nil {
		*n = team(object.Name)
		return nil
	}
	return json.Unmarshal(text, (*string)(n))
}

type openGoal struct {
	Name    string `json:"name"`
	Minute  int    `json:"minute"`
	Offset  int    `json:"offset"`
	Penalty bool   `json:"penalty"`
	Own     bool   `json:"owngoal"`
}

type openMatch struct {
	Date   string            `json:"date"`
	Team1  team              `json:"team1"`
	Team2  team              `json:"team2"`
	Score  map[string][2]int `json:"score"`
	Goals1 []openGoal        `json:"goals1"`
	Goals2 []openGoal        `json:"goals2"`
}

var notInReferences = regexp.MustCompile(`[^a-z0-9]+`)

// openfootball turns a file into matches whose goals are plays and whose scores are the claims of a source. Kicks of a
// shoot-out are not in it; its result is a part of the claim that the plays say nothing about.
func openfootball(t *testing.T, data, folder, name string) []match {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "openfootball", folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Name    string      `json:"name"`
		Matches []openMatch `json:"matches"`
		Rounds  []struct {
			Matches []openMatch `json:"matches"`
		} `json:"rounds"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Rounds {
		file.Matches = append(file.Matches, r.Matches...)
	}
	var matches []match
	for _, m := range file.Matches {
		played, final := 2, m.Score["ft"]
		periodScores := map[string]any{"H2": score(final[0], final[1])}
		if ht, known := m.Score["ht"]; known {
			periodScores["H1"] = score(ht[0], ht[1])
		}
		if et, known := m.Score["et"]; known {
			played, final = 4, et
			periodScores["ET2"] = score(et[0], et[1])
		}
		claim := map[string]any{"home": final[0], "away": final[1], "periods": periodScores}
		if p, known := m.Score["p"]; known {
			claim["shootout"] = score(p[0], p[1])
		}
		var plays []play
		count := map[string]int{"home": len(m.Goals1), "away": len(m.Goals2)}
		for side, goals := range map[string][]openGoal{"home": m.Goals1, "away": m.Goals2} {
			for _, g := range goals {
				plays = append(plays, g.tell(side))
			}
		}
		ref := strings.Trim(notInReferences.ReplaceAllString(strings.ToLower(fmt.Sprintf("%s-%s-%s", folder, m.Team1, m.Team2)), "-"), "-") + "-" + m.Date
		claimed := command{Workflow: "fixture", Code: "source_claim", Input: map[string]any{
			"source": "openfootball", "group": "score", "value": claim, "observed_at": m.Date + "T23:00:00Z",
		}}
		told := match{
			Title:    fmt.Sprintf("%s: %s - %s", file.Name, m.Team1, m.Team2),
			Event:    event{Ref: "openfootball-" + folder, Input: map[string]any{"name": file.Name}},
			Fixture:  fixture{Ref: ref, Input: map[string]any{"sport": "football", "home": string(m.Team1), "away": string(m.Team2), "settings": map[string]any{"extra_time": played == 4}}},
			Commands: tell(plays, played),
			Expected: map[string]any{"status": "finished", "score": count},
			date:     m.Date,
			claim:    &claimed,
		}
		told.claims(claimed)
		matches = append(matches, told)
	}
	return matches
}

func (g openGoal) tell(side string) play {
	p := play{minute: g.Minute, added: g.Offset, code: "goal", input: map[string]any{"side": side, "scorer": g.Name, "kind": "goal"}}
	if g.Minute > 120 { // written as one number
		p.minute, p.added = 120, g.Minute-120
	}
	for _, last := range []int{45, 90, 105} {
		if p.minute > last {
			p.period++
		}
	}
	if g.Penalty {
		p.input["kind"] = "penalty"
	}
	if g.Own {
		p.input["kind"] = "own"
	}
	return p
}
