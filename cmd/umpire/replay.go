package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"umpire/client"
)

//go:embed matches/worldcup-2022-final.json
var worldCupFinal []byte

type replayCommand struct {
	URL   string `default:"http://127.0.0.1:8080" help:"The server."`
	Token string `env:"UMPIRE_TOKEN" required:"" help:"A sender's token."`
}

func (c *replayCommand) Run(ctx context.Context, out io.Writer) error {
	m, err := readMatch(worldCupFinal)
	if err != nil {
		return err
	}
	return m.replay(ctx, out, &client.Client{BaseURL: strings.TrimRight(c.URL, "/"), Token: c.Token})
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
	Commands []struct {
		Workflow string          `json:"workflow"`
		Code     string          `json:"code"`
		Input    json.RawMessage `json:"input"`
	} `json:"commands"`
	Expected struct {
		Status   string           `json:"status"`
		Score    goals            `json:"score"`
		Periods  map[string]goals `json:"periods"`
		Shootout *goals           `json:"shootout"`
	} `json:"expected"`
}

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
func (m *match) replay(ctx context.Context, out io.Writer, c *client.Client) error {
	bar := newBar(int64(len(m.Commands)+2), m.Title)
	counts := map[string]int{}
	var lastPlay *int64
	send := func(i int, cmd client.Command) error {
		cmd.Key = fmt.Sprintf("replay:%s:%d", m.Fixture.Ref, i)
		answer, err := c.Send(ctx, cmd)
		if err != nil {
			return fmt.Errorf("command %d (%s.%s): %w", i, cmd.Workflow, cmd.Code, err)
		}
		counts[answer.Outcome]++
		decided := answer.Decided()
		if decided.Outcome != "accepted" && !(decided.Reason != nil && decided.Reason.Code == "exists") {
			return fmt.Errorf("command %d (%s.%s): %s: %s", i, cmd.Workflow, cmd.Code, decided.Outcome, reasonText(decided))
		}
		if cmd.Workflow == m.Fixture.Input["sport"] {
			lastPlay = &decided.Seq
		}
		return bar.Add(1)
	}

	if err := send(0, client.Command{Workflow: "event", Kind: "event", Ref: m.Event.Ref, Code: "create", Input: m.Event.Input}); err != nil {
		return err
	}
	input := map[string]any{"fixture": m.Fixture.Ref}
	for k, v := range m.Fixture.Input {
		input[k] = v
	}
	row := "fixture/" + m.Fixture.Ref + "/schedule"
	if err := send(1, client.Command{
		Workflow: "event", Kind: "event", Ref: m.Event.Ref, Code: "fixture_put", Input: input,
		Saw: map[string]any{"rows": map[string]any{row: nil}},
	}); err != nil {
		return err
	}
	for i, command := range m.Commands {
		cmd := client.Command{Workflow: command.Workflow, Kind: "fixture", Ref: m.Fixture.Ref, Code: command.Code, Input: command.Input}
		if command.Workflow == m.Fixture.Input["sport"] {
			cmd.Saw = map[string]any{"play": lastPlay}
		}
		if err := send(i+2, cmd); err != nil {
			return err
		}
	}
	_ = bar.Finish()

	var state fixtureState
	if err := c.Read(ctx, "fixture", m.Fixture.Ref, "state", &state); err != nil {
		return fmt.Errorf("reading the fixture: %w", err)
	}
	m.print(out, &state, counts)
	return m.compare(&state)
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

// compare checks what is shown against what the match says must come out.
func (m *match) compare(state *fixtureState) error {
	var wrong []error
	check := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Errorf("%s is %v, not %v", what, got, want))
		}
	}
	check("the status", state.Data.Status, m.Expected.Status)
	check("the score", state.Data.Score.Score, m.Expected.Score)
	for period, want := range m.Expected.Periods {
		check("the score after "+period, state.Data.Score.Periods[period], want)
	}
	if want := m.Expected.Shootout; want != nil {
		var got goals
		if s := state.Data.Score.Shootout; s != nil {
			got = goals{s.Home.Scored, s.Away.Scored}
		}
		check("the shoot-out", got, *want)
	}
	if len(wrong) > 0 {
		fmt.Fprintln(os.Stderr)
		return fmt.Errorf("the replay does not give the known result: %w", errors.Join(wrong...))
	}
	return nil
}
