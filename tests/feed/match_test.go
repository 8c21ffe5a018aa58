package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/client"
)

// match plays one football match over HTTP as a scorer does: periods, goals, cards, video reviews, corrections, plays taken
// out, a floodlight that fails, and commentary in between.
type match struct {
	desk     *client.Client
	rng      *rand.Rand
	ref      string
	sent     func()                      // after every command
	halftime func(context.Context) error // may be nil

	last   any    // number of the last play, nil before the first
	goals  []goal // that count
	status int64  // version of its row
	names  int
}

type goal struct{ play, version int64 }

func (m *match) send(ctx context.Context, workflow, code string, input, saw map[string]any) (int64, error) {
	return m.sendTo(ctx, workflow, "fixture", m.ref, code, input, saw)
}

func (m *match) sendTo(ctx context.Context, workflow, kind, ref, code string, input, saw map[string]any) (int64, error) {
	cmd := client.Command{Workflow: workflow, Kind: kind, Ref: ref, Key: key(), Code: code, Input: input}
	if saw != nil {
		cmd.Saw = saw
	}
	a, err := m.desk.Send(ctx, cmd)
	if err != nil {
		return 0, err
	}
	if a = a.Decided(); a.Outcome != "accepted" {
		return 0, fmt.Errorf("%s.%s %v on %s: %s %+v", workflow, code, input, ref, a.Outcome, a.Reason)
	}
	m.sent()
	return a.Seq, nil
}

func (m *match) play(ctx context.Context, code string, input map[string]any) (int64, error) {
	seq, err := m.send(ctx, "football", code, input, map[string]any{"play": m.last})
	if err == nil {
		m.last = seq
	}
	return seq, err
}

func (m *match) change(ctx context.Context, code, row string, version any, input map[string]any) (int64, error) {
	return m.send(ctx, "fixture", code, input, map[string]any{"rows": map[string]any{"fixture/" + m.ref + "/" + row: version}})
}

func (m *match) side() string { return []string{"home", "away"}[m.rng.IntN(2)] }

func (m *match) name() string {
	m.names++
	return fmt.Sprintf("Player %d", m.names)
}

func (m *match) run(ctx context.Context) error {
	_, err := m.sendTo(ctx, "event", "event", "cup", "fixture_put",
		map[string]any{"fixture": m.ref, "sport": "football", "home": "Reds", "away": "Blues"},
		map[string]any{"rows": map[string]any{"fixture/" + m.ref + "/schedule": nil}})
	if err != nil {
		return err
	}
	for half, period := range []string{"H1", "H2"} {
		seq, err := m.play(ctx, "period_start", map[string]any{"period": period})
		if err != nil {
			return err
		}
		if half == 0 {
			m.status = seq
		}
		for minute := 45*half + 1; minute <= 45*(half+1); minute += 1 + m.rng.IntN(3) {
			if err := m.minute(ctx, minute); err != nil {
				return err
			}
		}
		if _, err := m.play(ctx, "period_end", map[string]any{"period": period, "added": m.rng.IntN(6)}); err != nil {
			return err
		}
		if half == 0 && m.halftime != nil {
			if err := m.halftime(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// minute lets one thing happen.
func (m *match) minute(ctx context.Context, minute int) error {
	scored := func() map[string]any {
		return map[string]any{"side": m.side(), "scorer": m.name(), "minute": minute}
	}
	i := m.rng.IntN(1 + len(m.goals)) // one that counts; there may be none
	some := i < len(m.goals)
	switch what := m.rng.IntN(12); {
	case what < 3:
		seq, err := m.play(ctx, "goal", scored())
		m.goals = append(m.goals, goal{seq, seq})
		return err
	case what < 5:
		_, err := m.play(ctx, "card", map[string]any{"side": m.side(), "person": m.name(), "card": "yellow", "minute": minute})
		return err
	case what == 5: // a review that lets a goal stand, takes it back, or gives another
		check := map[string]any{"stage": "check", "minute": minute}
		decided := map[string]any{"stage": "confirmed", "minute": minute}
		if some {
			check["play"], decided["play"] = m.goals[i].play, m.goals[i].play
			if m.rng.IntN(2) == 0 {
				decided["stage"], decided["void"], decided["reason"] = "changed", true, "Offside."
				m.goals = slices.Delete(m.goals, i, i+1)
			}
		}
		if m.rng.IntN(3) == 0 {
			decided["stage"], decided["add"] = "changed", map[string]any{"code": "goal", "input": scored()}
		}
		if _, err := m.play(ctx, "var", check); err != nil {
			return err
		}
		_, err := m.play(ctx, "var", decided)
		return err
	case what == 6 && some: // it never was one
		g := m.goals[i]
		m.goals = slices.Delete(m.goals, i, i+1)
		_, err := m.change(ctx, "play_void", fmt.Sprintf("play/%d", g.play), g.version, map[string]any{"play": g.play, "reason": "Entered twice."})
		return err
	case what == 7 && some: // it may have been the other side's
		g := &m.goals[i]
		seq, err := m.change(ctx, "play_correct", fmt.Sprintf("play/%d", g.play), g.version,
			map[string]any{"play": g.play, "changes": map[string]any{"side": m.side(), "scorer": m.name()}, "reason": "Last touch."})
		g.version = seq
		return err
	case what == 8:
		for _, status := range []string{"suspended", "running"} {
			seq, err := m.change(ctx, "status_set", "status", m.status, map[string]any{"status": status, "reason": "Floodlights."})
			if err != nil {
				return err
			}
			m.status = seq
		}
		return nil
	}
	_, err := m.send(ctx, "fixture", "note", map[string]any{"text": fmt.Sprintf("%s, minute %d", m.ref, minute), "minute": minute}, nil)
	return err
}

// board is what a screen shows of one subject, made from its notes alone.
type board struct {
	Seq            int64
	Status, Period string
	Score          score
	Cards, Lines   int
	Goals          map[int64]string // that count: the side of each, by the play's number
}

type score struct{ Home, Away int }

// boards are those of all subjects, by kind and reference.
type boards map[string]*board

// take is a viewer's fold. It fails at a note that does not follow on the one before, and at one whose score is not what the
// goals make.
func (all boards) take(data string) (noteData, error) {
	var n noteData
	if err := json.Unmarshal([]byte(data), &n); err != nil {
		return n, fmt.Errorf("%q: %w", data, err)
	}
	name := n.Subject.Kind + "/" + n.Subject.Ref
	b := all[name]
	if b == nil {
		b = &board{Goals: map[int64]string{}}
		all[name] = b
	}
	if n.Seq != b.Seq+1 {
		return n, fmt.Errorf("%s: number %d comes after %d", name, n.Seq, b.Seq)
	}
	b.Seq = n.Seq
	if n.Subject.Kind != "fixture" {
		return n, nil
	}
	var body struct {
		Play           int64
		Status, Period *string
		Before, Score  *score
		Input          struct {
			Side string
			Add  *struct{ Input struct{ Side string } }
		}
		Cancelled *struct{ Play int64 }
		Corrected *struct {
			Play  int64
			Input struct{ Side string }
		}
	}
	if err := json.Unmarshal(n.Note, &body); err != nil {
		return n, fmt.Errorf("%q: %w", n.Note, err)
	}
	if body.Before != nil && *body.Before != b.Score {
		return n, fmt.Errorf("%s %d: it was %+v before, not %+v", name, n.Seq, *body.Before, b.Score)
	}
	if body.Cancelled != nil {
		delete(b.Goals, body.Cancelled.Play)
	}
	if body.Corrected != nil {
		b.Goals[body.Corrected.Play] = body.Corrected.Input.Side
	}
	switch n.Code {
	case "goal":
		b.Goals[body.Play] = body.Input.Side
	case "var":
		if body.Input.Add != nil {
			b.Goals[body.Play] = body.Input.Add.Input.Side
		}
	case "card":
		b.Cards++
	case "note":
		b.Lines++
	}
	if body.Status != nil {
		b.Status = *body.Status
	}
	if body.Period != nil {
		b.Period = *body.Period
	}
	b.Score = score{}
	for _, side := range b.Goals {
		if side == "home" {
			b.Score.Home++
		} else {
			b.Score.Away++
		}
	}
	if body.Score != nil && *body.Score != b.Score {
		return n, fmt.Errorf("%s %d: it says %+v, and what came before it makes %+v", name, n.Seq, *body.Score, b.Score)
	}
	return n, nil
}

// outboxJSON is all notes, in the readers' order and as viewers get them.
func outboxJSON(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	return texts(t, conn, `select jsonb_build_object('subject', jsonb_build_object('kind', n.kind, 'ref', n.ref), 'seq', n.seq, 'code', n.code, 'note', n.body)::text
		from road.notes('0', 0, 1000000) n`)
}

// fold is what notes make, from nothing on, and their names: KIND/REF SEQ.
func fold(t *testing.T, notes []string) (names []string, made boards) {
	t.Helper()
	made = boards{}
	for _, data := range notes {
		n, err := made.take(data)
		if err != nil {
			t.Fatalf("the outbox: %v", err)
		}
		names = append(names, n.name())
	}
	return names, made
}
