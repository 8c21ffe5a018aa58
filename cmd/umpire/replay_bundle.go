package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// bundle is a football match as one document of facts: who played, what happened, what came of it.
type bundle struct {
	ID         string                `json:"id"`
	Tournament string                `json:"tournament"`
	Stage      string                `json:"stage"`
	Date       string                `json:"date"`
	Venue      string                `json:"venue"`
	Teams      map[string]bundleTeam `json:"teams"`
	Plays      []bundlePlay          `json:"plays"`
	Expected   struct {
		Score       [2]int            `json:"score"`
		AfterPeriod map[string][2]int `json:"after_period"`
		Shootout    *[2]int           `json:"shootout"`
		Yellows     *goals            `json:"yellows"`
		Dismissals  *goals            `json:"dismissals"`
		Subs        *goals            `json:"subs"`
	} `json:"expected"`
}

type bundleTeam struct {
	Name     string         `json:"name"`
	Starters []bundlePlayer `json:"starters"`
	Squad    []bundlePlayer `json:"squad"`
}

type bundlePlayer struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Shirt int    `json:"shirt"`
	Pos   string `json:"pos"`
}

type bundlePlay struct {
	Play       string `json:"play"`
	Period     string `json:"period"`
	Minute     int    `json:"minute"`
	Added      int    `json:"added"`
	Side       string `json:"side"`
	CreditedTo string `json:"credited_to"`
	PlayerID   string `json:"player_id"`
	OffID      string `json:"off_id"`
	OnID       string `json:"on_id"`
	Scored     bool   `json:"scored"`
}

// readFile reads a match told as commands, or a bundle.
func readFile(name string) (*match, error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the match: %w", err)
	}
	var is struct {
		Plays    json.RawMessage `json:"plays"`
		Commands json.RawMessage `json:"commands"`
	}
	if err := json.Unmarshal(file, &is); err != nil {
		return nil, fmt.Errorf("reading the match: %w", err)
	}
	switch {
	case is.Commands != nil:
		return readMatch(file)
	case is.Plays != nil:
		var b bundle
		if err := json.Unmarshal(file, &b); err != nil {
			return nil, fmt.Errorf("reading the bundle: %w", err)
		}
		return b.match()
	}
	return nil, errors.New("this is neither a match told as commands nor a bundle: it has no commands and no plays")
}

var notInReferences = regexp.MustCompile(`[^a-z0-9]+`)

// match tells a bundle as commands.
func (b *bundle) match() (*match, error) {
	home, away := b.Teams["home"], b.Teams["away"]
	if b.ID == "" || b.Tournament == "" || home.Name == "" || away.Name == "" {
		return nil, errors.New("the bundle does not say which match it is: it needs id, tournament and two teams")
	}
	knockout := b.Stage != "group stage"
	settings := map[string]any{"extra_time": knockout, "shootout": knockout, "subs": 3}
	if b.Date >= "2022-07-01" { // the Laws of the Game 2022/23: five, in three stops of play
		settings["subs"], settings["sub_windows"] = 5, 3
	}
	m := &match{Title: fmt.Sprintf("%s, %s: %s - %s", b.Tournament, b.Stage, home.Name, away.Name)}
	m.Event.Ref = strings.Trim(notInReferences.ReplaceAllString(strings.ToLower(b.Tournament), "-"), "-")
	m.Event.Input = raw(map[string]any{"name": b.Tournament})
	m.Fixture.Ref = b.ID
	m.Fixture.Input = map[string]any{"sport": "football", "home": home.Name, "away": away.Name, "phase": b.Stage, "settings": settings}
	if b.Venue != "" {
		m.Fixture.Input["venue"] = b.Venue
	}
	for _, side := range []string{"home", "away"} {
		if len(b.Teams[side].Starters) == 0 {
			continue
		}
		squad, lineup := b.Teams[side].tell(side)
		m.Squads = append(m.Squads, squad)
		m.Commands = append(m.Commands, told{Workflow: "fixture", Code: "lineup_set", Input: lineup, Creates: "lineup/" + side})
	}
	subs := map[string]int{}
	for i, p := range b.Plays {
		code, input, err := p.tell(settings["subs"].(int), subs)
		if err != nil {
			return nil, fmt.Errorf("play %d: %w", i+1, err)
		}
		if code != "" {
			m.Commands = append(m.Commands, told{Workflow: "football", Code: code, Input: raw(input)})
		}
	}
	m.Expected = expected{
		Status: "finished", Score: pair(b.Expected.Score), Periods: map[string]goals{},
		Yellows: b.Expected.Yellows, Dismissals: b.Expected.Dismissals, Subs: b.Expected.Subs,
	}
	for period, score := range b.Expected.AfterPeriod {
		m.Expected.Periods[period] = pair(score)
	}
	if b.Expected.Shootout != nil {
		kicks := pair(*b.Expected.Shootout)
		m.Expected.Shootout = &kicks
	}
	return m, nil
}

func pair(n [2]int) goals { return goals{Home: n[0], Away: n[1]} }

func raw(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers always marshal
	}
	return text
}

// tell gives the squad and the line-up: whoever does not start sits on the bench.
func (t bundleTeam) tell(side string) (squad, lineup json.RawMessage) {
	starts := map[string]bool{}
	starters, bench := []string{}, []string{}
	var keeper string
	for _, p := range t.Starters {
		starts[p.ID] = true
		starters = append(starters, p.ID)
		if p.Pos == "GK" {
			keeper = p.ID
		}
	}
	members := []map[string]any{}
	for _, p := range t.Squad {
		members = append(members, map[string]any{"person": p.ID, "name": p.Name, "shirt": p.Shirt})
		if !starts[p.ID] {
			bench = append(bench, p.ID)
		}
	}
	return raw(map[string]any{"team": t.Name, "members": members}),
		raw(map[string]any{"side": side, "starters": starters, "keeper": keeper, "bench": bench})
}

// tell gives the command of a play; no code for what no command says: the kick that decides a shoot-out ends it. Bundles
// do not say which substitution was for a concussion: it is the one that the limit would not allow.
func (p bundlePlay) tell(limit int, subs map[string]int) (code string, input map[string]any, err error) {
	input = map[string]any{}
	at := func() {
		input["minute"] = p.Minute
		if p.Added > 0 {
			input["added"] = p.Added
		}
	}
	switch p.Play {
	case "period_start", "period_end":
		if p.Play == "period_end" && p.Period == "PSO" {
			return "", nil, nil
		}
		input["period"] = p.Period
		return p.Play, input, nil
	case "goal", "penalty_goal", "own_goal":
		at()
		input["side"] = p.CreditedTo
		input["kind"] = map[string]string{"goal": "goal", "penalty_goal": "penalty", "own_goal": "own"}[p.Play]
		if p.PlayerID != "" {
			input["scorer"] = p.PlayerID
		}
		return "goal", input, nil
	case "yellow", "second_yellow", "red":
		at()
		input["side"], input["person"] = p.Side, p.PlayerID
		input["card"] = map[string]string{"yellow": "yellow", "second_yellow": "second", "red": "red"}[p.Play]
		return "card", input, nil
	case "substitution":
		at()
		input["side"], input["off"], input["on"] = p.Side, p.OffID, p.OnID
		subs[p.Side]++
		if p.Period == "ET1" || p.Period == "ET2" {
			limit++
		}
		if subs[p.Side] > limit {
			input["concussion"] = true
		}
		return "sub", input, nil
	case "shootout_kick":
		input["side"], input["scored"] = p.Side, p.Scored
		if p.PlayerID != "" {
			input["taker"] = p.PlayerID
		}
		return "kick", input, nil
	}
	return "", nil, fmt.Errorf("nobody knows what a %q is", p.Play)
}
