package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"umpire/client"
)

// verifyFilesCommand compares, and sends nothing: what the files expect was not made by Umpire's fold.
type verifyFilesCommand struct {
	remote

	Files []string `arg:"" type:"existingfile" help:"The files that were replayed."`
}

func (c *verifyFilesCommand) Run(ctx context.Context, out io.Writer) error {
	bar := newBar(int64(len(c.Files)), "comparing")
	var failed []error
	for _, name := range c.Files {
		m, err := readFile(name)
		if err == nil {
			var seen *shown
			if seen, err = m.shown(ctx, c.client()); err == nil {
				err = m.compare(seen)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
		_ = bar.Add(1)
	}
	_, _ = fmt.Fprintf(out, "%d of %d matches are shown as their files expect.\n", len(c.Files)-len(failed), len(c.Files))
	return errors.Join(failed...)
}

// shown is what the server shows of a fixture, with its plays counted.
type shown struct {
	fixtureState
	yellows, dismissals, subs goals
}

// shown reads the fixture's state and its plays.
func (m *match) shown(ctx context.Context, c *client.Client) (*shown, error) {
	var s shown
	if err := c.Read(ctx, "fixture", m.Fixture.Ref, "state", &s.fixtureState); err != nil {
		return nil, fmt.Errorf("reading the fixture: %w", err)
	}
	for after := ""; ; {
		var page struct {
			Data struct {
				Items []struct {
					Code     string          `json:"code"`
					Input    json.RawMessage `json:"input"`
					VoidedBy *int64          `json:"voided_by"`
				} `json:"items"`
				Next *string `json:"next"`
			} `json:"data"`
		}
		if err := c.ReadPage(ctx, "fixture", m.Fixture.Ref, "plays", after, &page); err != nil {
			return nil, fmt.Errorf("reading the plays: %w", err)
		}
		for _, p := range page.Data.Items {
			if p.VoidedBy == nil {
				s.count(p.Code, p.Input)
			}
		}
		if page.Data.Next == nil {
			return &s, nil
		}
		after = *page.Data.Next
	}
}

func (s *shown) count(code string, input json.RawMessage) {
	side := func(g *goals) {
		if member(input, "side") == "home" {
			g.Home++
		} else {
			g.Away++
		}
	}
	switch {
	case code == "sub":
		side(&s.subs)
	case code == "card" && member(input, "card") == "yellow":
		side(&s.yellows)
	case code == "card":
		side(&s.dismissals)
	}
}

// compare checks what is shown against what the match says must come out.
func (m *match) compare(s *shown) error {
	var wrong []error
	check := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Errorf("%s is %v, not %v", what, got, want))
		}
	}
	score := s.Data.Score
	check("the status", s.Data.Status, m.Expected.Status)
	check("the score", score.Score, m.Expected.Score)
	for period, want := range m.Expected.Periods {
		check("the score after "+period, score.Periods[period], want)
	}
	var kicks goals
	if score.Shootout != nil {
		kicks = goals{score.Shootout.Home.Scored, score.Shootout.Away.Scored}
	}
	for _, c := range []struct {
		what string
		got  goals
		want *goals
	}{
		{"the shoot-out", kicks, m.Expected.Shootout}, {"the number of yellow cards", s.yellows, m.Expected.Yellows},
		{"the number of dismissals", s.dismissals, m.Expected.Dismissals}, {"the number of substitutions", s.subs, m.Expected.Subs},
	} {
		if c.want != nil {
			check(c.what, c.got, *c.want)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the replay does not give the known result: %w", errors.Join(wrong...))
	}
	return nil
}
