package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"umpire/client"
)

//go:embed matches/worldcup-2022-final.json
var worldCupFinal []byte

type replayCommand struct {
	remote

	Files   []string `arg:"" optional:"" type:"existingfile" help:"Matches told as commands, or football bundles; the match that ships with Umpire when there is none."`
	Senders int      `default:"1" help:"2: two scorers send every play at the same moment, having seen the same last play; one wins, the other gets a conflict that carries the play it missed."`
	Speed   float64  `default:"0" help:"Minutes of play per second; 0 waits for nothing."`
}

// remote is a running server and who talks to it.
type remote struct {
	URL   string `default:"http://127.0.0.1:8080" help:"The server."`
	Token string `env:"UMPIRE_TOKEN" required:"" help:"A sender's token."`
}

func (r remote) client() *client.Client {
	return &client.Client{BaseURL: strings.TrimRight(r.URL, "/"), Token: r.Token}
}

func (c *replayCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Senders < 1 || c.Senders > 2 {
		return errors.New("--senders is 1 or 2")
	}
	if c.Speed < 0 {
		return errors.New("--speed is not negative")
	}
	pace := pace{senders: c.Senders, speed: c.Speed}
	if len(c.Files) == 0 {
		m, err := readMatch(worldCupFinal)
		if err != nil {
			return err
		}
		return m.replay(ctx, out, c.client(), pace)
	}
	var failed []error
	for _, name := range c.Files {
		m, err := readFile(name)
		if err == nil {
			err = m.replay(ctx, out, c.client(), pace)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

// pace is how a match is sent.
type pace struct {
	senders int
	speed   float64 // minutes of play per second; 0 waits for nothing
}

// match is a fixture told as commands, with what must come out.
type match struct {
	Title string `json:"title"`
	Event struct {
		Ref   string          `json:"ref"`
		Input json.RawMessage `json:"input"`
	} `json:"event"`
	Fixture struct {
		Ref   string         `json:"ref"`
		Input map[string]any `json:"input"`
	} `json:"fixture"`
	Squads   []json.RawMessage `json:"squads"`  // of the event, as event.squad_put takes them
	Sources  []json.RawMessage `json:"sources"` // of the event, as event.sources_set takes them
	Commands []told            `json:"commands"`
	Expected expected          `json:"expected"`
}

// told is one command of a match. Creates names the row of the fixture that it creates, such as lineup/home.
type told struct {
	Workflow string          `json:"workflow"`
	Code     string          `json:"code"`
	Input    json.RawMessage `json:"input"`
	Creates  string          `json:"creates,omitempty"`
}

// expected is what must come out; what is not said is not compared.
type expected struct {
	Status     string           `json:"status"`
	Score      goals            `json:"score"`
	Periods    map[string]goals `json:"periods,omitempty"`
	Shootout   *goals           `json:"shootout,omitempty"`
	Yellows    *goals           `json:"yellows,omitempty"`
	Dismissals *goals           `json:"dismissals,omitempty"`
	Subs       *goals           `json:"subs,omitempty"`
}

// goals counts something of each side.
type goals struct {
	Home int `json:"home"`
	Away int `json:"away"`
}

// fixtureState is what this command reads of the view "state" of a football fixture.
type fixtureState struct {
	LastPlay *int64 `json:"last_play"`
	Data     struct {
		Status   string `json:"status"`
		Schedule struct {
			Home string `json:"home"`
			Away string `json:"away"`
		} `json:"schedule"`
		Rows  map[string]*int64 `json:"rows"`
		Score struct {
			Score    goals            `json:"score"`
			Periods  map[string]goals `json:"periods"`
			Shootout *struct {
				Home struct {
					Scored int `json:"scored"`
				} `json:"home"`
				Away struct {
					Scored int `json:"scored"`
				} `json:"away"`
			} `json:"shootout"`
		} `json:"score"`
	} `json:"data"`
}

func readMatch(file []byte) (*match, error) {
	var m match
	if err := json.Unmarshal(file, &m); err != nil {
		return nil, fmt.Errorf("reading the match: %w", err)
	}
	return &m, nil
}

// replay sends the match's commands one after the other, as a scorer's screen would, then shows what came of them and
// compares it with what the match says. Keys are made from the fixture and the command's place: sent again, every
// command is a duplicate.
func (m *match) replay(ctx context.Context, out io.Writer, c *client.Client, p pace) error {
	r := &replay{match: m, client: c, pace: p, counts: map[string]int{}}
	bar := newBar(int64(len(m.Squads)+len(m.Sources)+len(m.Commands)+2), m.Title)
	for _, step := range r.steps() {
		if err := step(ctx); err != nil {
			return err
		}
		if err := bar.Add(1); err != nil {
			return fmt.Errorf("showing the progress: %w", err)
		}
	}
	_ = bar.Finish()

	seen, err := m.shown(ctx, c)
	if err != nil {
		return err
	}
	m.print(out, &seen.fixtureState, r.counts)
	return m.compare(seen)
}

func reasonText(a *client.Answer) string {
	if a.Reason == nil {
		return "no reason given"
	}
	return a.Reason.Code + ": " + a.Reason.Message
}

// print shows the score by period and the shoot-out.
func (m *match) print(out io.Writer, state *fixtureState, counts map[string]int) {
	home, away := state.Data.Schedule.Home, state.Data.Schedule.Away
	score := state.Data.Score
	_, _ = fmt.Fprintf(out, "\n%s\n\n", m.Title)
	_, _ = fmt.Fprintf(out, "  %-14s %9s %9s\n", "after", home, away)
	names := []struct{ code, text string }{{"H1", "first half"}, {"H2", "second half"}, {"ET1", "extra time 1"}, {"ET2", "extra time 2"}}
	for _, n := range names {
		if g, ok := score.Periods[n.code]; ok {
			_, _ = fmt.Fprintf(out, "  %-14s %9d %9d\n", n.text, g.Home, g.Away)
		}
	}
	if s := score.Shootout; s != nil {
		_, _ = fmt.Fprintf(out, "  %-14s %9d %9d\n", "shoot-out", s.Home.Scored, s.Away.Scored)
	}
	outcomes := make([]string, 0, len(counts))
	for outcome, n := range counts {
		outcomes = append(outcomes, fmt.Sprintf("%d %s", n, outcome))
	}
	slices.Sort(outcomes)
	_, _ = fmt.Fprintf(out, "\n  %s; the match is %s.\n", strings.Join(outcomes, ", "), state.Data.Status)
}
