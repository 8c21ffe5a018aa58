package acceptance_test

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type row map[string]string

func (r row) number(t *testing.T, column string) int {
	t.Helper()
	n, err := strconv.Atoi(r[column])
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return n
}

func (r row) side() string {
	if r["home_team"] == "1" {
		return "home"
	}
	return "away"
}

func table(t *testing.T, dir, name string) []row {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var rows []row
	for _, record := range records[1:] {
		r := row{}
		for i, column := range records[0] {
			r[column] = record[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// at is the place of a row in its match.
func (r row) at(t *testing.T) play {
	t.Helper()
	period := slices.IndexFunc([]string{"first half", "second half", "extra time, first half", "extra time, second half"}, func(p string) bool {
		return strings.HasPrefix(r["match_period"], p)
	})
	minute, added := r.number(t, "minute_regulation"), r.number(t, "minute_stoppage")
	switch {
	case r["match_period"] == "half time":
		period, minute = 1, 46
	case r["match_period"] == "extra time, half time":
		period, minute = 3, 106
	case period < 0:
		t.Fatalf("nobody knows the period %q", r["match_period"])
	}
	return play{period: period, minute: minute, added: added}
}

// fjelstul turns the tables of a World Cup into matches: line-ups, goals, cards, substitutions, shoot-outs.
func fjelstul(t *testing.T, data string) []match {
	t.Helper()
	dir := filepath.Join(data, "worldcup-2018")
	by := map[string]map[string][]row{}
	for _, name := range []string{"goals", "bookings", "substitutions", "penalty_kicks", "player_appearances"} {
		by[name] = map[string][]row{}
		for _, r := range table(t, dir, name) {
			by[name][r["match_id"]] = append(by[name][r["match_id"]], r)
		}
	}
	squads := map[string][]row{}
	for _, r := range table(t, dir, "squads") {
		squads[r["team_code"]] = append(squads[r["team_code"]], r)
	}
	seconds := map[string]row{} // the bookings carry the first yellow's minute
	for _, r := range table(t, dir, "second_yellow_minutes_fix") {
		r["minute_regulation"], r["minute_stoppage"] = r["second_yellow_minute_regulation"], r["second_yellow_minute_stoppage"]
		seconds[r["match_id"]+" "+r["family_name"]] = r
	}

	var matches []match
	for _, m := range table(t, dir, "matches") {
		id := m["match_id"]
		knockout := m["knockout_stage"] == "1"
		told := match{
			date:  m["match_date"],
			Title: m["tournament_name"] + ", " + m["stage_name"] + ": " + m["match_name"],
			Event: event{Ref: "worldcup-2018", Input: map[string]any{"name": m["tournament_name"], "settings": map[string]any{"subs": 3}}},
			Fixture: fixture{Ref: id, Input: map[string]any{
				"sport": "football", "home": m["home_team_name"], "away": m["away_team_name"], "phase": m["stage_name"],
				"settings": map[string]any{"extra_time": knockout, "shootout": knockout},
			}},
		}
		counts := map[string]map[string]int{"yellows": score(0, 0), "dismissals": score(0, 0), "subs": score(0, 0)}
		for _, side := range []string{"home", "away"} {
			team := m[side+"_team_code"]
			squad, lineup := lineUp(squads[team], by["player_appearances"][id], team, side)
			squad["team"] = m[side+"_team_name"]
			told.Squads = append(told.Squads, squad)
			told.Commands = append(told.Commands, command{Workflow: "fixture", Code: "lineup_set", Input: lineup, Creates: "lineup/" + side})
		}

		var plays []play
		cameOn := map[string]string{} // when
		off := map[string][]row{}
		for _, r := range by["substitutions"][id] {
			when := r["team_code"] + " " + r["minute_label"]
			if r["going_off"] == "1" {
				off[when] = append(off[when], r)
				continue
			}
			if len(off[when]) == 0 {
				t.Fatalf("%s: nobody goes off for %s", id, r["family_name"])
			}
			p := r.at(t)
			p.class, p.code = 1, "sub"
			p.input = map[string]any{"side": r.side(), "off": off[when][0]["player_id"], "on": r["player_id"]}
			off[when] = off[when][1:]
			cameOn[r["player_id"]] = r["minute_label"]
			counts["subs"][r.side()]++
			plays = append(plays, p)
		}
		for _, r := range by["goals"][id] {
			p := r.at(t)
			p.code, p.input = "goal", map[string]any{"side": r.side(), "scorer": r["player_id"], "kind": "goal"}
			if r["penalty"] == "1" {
				p.input["kind"] = "penalty"
			}
			if r["own_goal"] == "1" {
				p.input["kind"] = "own"
			}
			if cameOn[r["player_id"]] == r["minute_label"] {
				p.class = 2 // before the goal somebody came on for it
			}
			plays = append(plays, p)
		}
		for _, r := range by["bookings"][id] {
			card := func(at row, card, count string) {
				p := at.at(t)
				p.class, p.code = 3, "card"
				p.input = map[string]any{"side": r.side(), "person": r["player_id"], "card": card}
				counts[count][r.side()]++
				plays = append(plays, p)
			}
			if r["yellow_card"] == "1" {
				card(r, "yellow", "yellows")
			}
			if r["second_yellow_card"] == "1" {
				fix, known := seconds[id+" "+r["family_name"]]
				if !known {
					t.Fatalf("%s: nobody knows when %s saw the second yellow card", id, r["family_name"])
				}
				card(fix, "second", "dismissals")
			} else if r["red_card"] == "1" {
				card(r, "red", "dismissals")
			}
		}
		played := 2
		if m["extra_time"] == "1" {
			played = 4
		}
		told.Commands = append(told.Commands, tell(plays, played)...)
		told.Expected = map[string]any{"status": "finished", "score": score(m.number(t, "home_team_score"), m.number(t, "away_team_score"))}
		for name, count := range counts {
			told.Expected[name] = count
		}
		if m["penalty_shootout"] == "1" {
			told.Commands = append(told.Commands, kicks(t, by["penalty_kicks"][id])...)
			told.Expected["shootout"] = score(m.number(t, "home_team_score_penalties"), m.number(t, "away_team_score_penalties"))
		}
		matches = append(matches, told)
	}
	return matches
}

func lineUp(squad, appearances []row, team, side string) (squadInput, lineupInput map[string]any) {
	starters := map[string]bool{}
	keeper := ""
	for _, r := range appearances {
		if r["team_code"] == team && r["starter"] == "1" {
			starters[r["player_id"]] = true
			if r["position_code"] == "GK" {
				keeper = r["player_id"]
			}
		}
	}
	bench, members := []string{}, []map[string]any{}
	for _, r := range squad {
		members = append(members, map[string]any{"person": r["player_id"], "name": strings.TrimPrefix(r["given_name"]+" "+r["family_name"], "not applicable ")})
		if !starters[r["player_id"]] {
			bench = append(bench, r["player_id"])
		}
	}
	return map[string]any{"members": members},
		map[string]any{"side": side, "starters": slices.Sorted(maps.Keys(starters)), "keeper": keeper, "bench": bench}
}

// kicks puts the kicks of a shoot-out, which are listed by team, in turn. Who began is not said: it is the side with which
// the shoot-out is decided by its last kick and not before; where both would do, the first.
func kicks(t *testing.T, rows []row) []command {
	t.Helper()
	sides := map[string][]row{}
	for _, r := range rows {
		sides[r.side()] = append(sides[r.side()], r)
	}
	for _, first := range []string{"home", "away"} {
		second := map[string]string{"home": "away", "away": "home"}[first]
		var order []row
		for i := range max(len(sides[first]), len(sides[second])) {
			order = append(order, sides[first][min(i, len(sides[first])):min(i+1, len(sides[first]))]...)
			order = append(order, sides[second][min(i, len(sides[second])):min(i+1, len(sides[second]))]...)
		}
		if decidedAt(order) != len(order) || len(sides[first]) < len(sides[second]) {
			continue
		}
		all := []command{{Workflow: "football", Code: "period_start", Input: map[string]any{"period": "PSO"}}}
		for _, r := range order {
			all = append(all, command{Workflow: "football", Code: "kick", Input: map[string]any{"side": r.side(), "taker": r["player_id"], "scored": r["converted"] == "1"}})
		}
		return all
	}
	t.Fatalf("%s: the shoot-out is decided by its last kick in no order", rows[0]["match_id"])
	return nil
}

// decidedAt is after how many kicks a shoot-out is decided; -1 when it is not.
func decidedAt(order []row) int {
	taken, scored := map[string]int{}, map[string]int{}
	for i, r := range order {
		taken[r.side()]++
		scored[r.side()] += map[string]int{"1": 1}[r["converted"]]
		rounds := max(5, taken["home"], taken["away"])
		lead := scored["home"] - scored["away"]
		if lead > rounds-taken["away"] || -lead > rounds-taken["home"] {
			return i + 1
		}
	}
	return -1
}
