package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"umpire/client"
)

// replay is a match under way.
type replay struct {
	match    *match
	client   *client.Client
	pace     pace
	counts   map[string]int // answers by outcome
	lastPlay *int64
	minute   float64
}

type step func(context.Context) error

// steps are the match's commands in order: event, squads and sources, fixture, then what is told.
func (r *replay) steps() []step {
	m := r.match
	onEvent := func(key, code string, input any, saw any) step {
		return func(ctx context.Context) error {
			_, err := r.send(ctx, client.Command{Workflow: "event", Kind: "event", Ref: m.Event.Ref, Key: key, Code: code, Input: input, Saw: saw})
			return err
		}
	}
	newRow := func(row string) any { return map[string]any{"rows": map[string]any{row: nil}} }

	steps := []step{onEvent(r.key(0), "create", m.Event.Input, nil)}
	// What several matches of one event say alike has one key, so that all but the first are duplicates.
	for _, squad := range m.Squads {
		team := member(squad, "team")
		steps = append(steps, onEvent("replay:"+m.Event.Ref+":squad:"+team, "squad_put", squad, newRow("event/"+m.Event.Ref+"/squad/"+team)))
	}
	for _, order := range m.Sources {
		group := member(order, "group")
		steps = append(steps, onEvent("replay:"+m.Event.Ref+":sources:"+group, "sources_set", order, newRow("event/"+m.Event.Ref+"/sources/"+group)))
	}
	input := map[string]any{"fixture": m.Fixture.Ref}
	for k, v := range m.Fixture.Input {
		input[k] = v
	}
	steps = append(steps, onEvent(r.key(1), "fixture_put", input, newRow("fixture/"+m.Fixture.Ref+"/schedule")))

	for i, c := range m.Commands {
		cmd := client.Command{Workflow: c.Workflow, Kind: "fixture", Ref: m.Fixture.Ref, Key: r.key(i + 2), Code: c.Code, Input: c.Input}
		if c.Creates != "" {
			cmd.Saw = newRow("fixture/" + m.Fixture.Ref + "/" + c.Creates)
		}
		if c.Workflow == m.Fixture.Input["sport"] {
			steps = append(steps, func(ctx context.Context) error { return r.play(ctx, cmd) })
			continue
		}
		steps = append(steps, func(ctx context.Context) error {
			_, err := r.send(ctx, cmd)
			return err
		})
	}
	return steps
}

func (r *replay) key(i int) string { return fmt.Sprintf("replay:%s:%d", r.match.Fixture.Ref, i) }

// member is a text of a JSON object; empty when it has none.
func member(object json.RawMessage, name string) string {
	var members map[string]any
	_ = json.Unmarshal(object, &members) // it was read as part of the file: it is JSON
	text, _ := members[name].(string)
	return text
}

// play sends a play that saw the last one.
func (r *replay) play(ctx context.Context, cmd client.Command) error {
	if err := r.wait(ctx, cmd); err != nil {
		return err
	}
	cmd.Saw = map[string]any{"play": r.lastPlay}
	if r.pace.senders == 2 {
		return r.race(ctx, cmd)
	}
	answer, err := r.send(ctx, cmd)
	if err != nil {
		return err
	}
	r.lastPlay = &answer.Seq
	return nil
}

// send sends a command that must be accepted, now or by an earlier replay.
func (r *replay) send(ctx context.Context, cmd client.Command) (*client.Answer, error) {
	answer, err := r.client.Send(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("%s (%s.%s): %w", cmd.Key, cmd.Workflow, cmd.Code, err)
	}
	r.counts[answer.Outcome]++
	decided := answer.Decided()
	exists := decided.Reason != nil && decided.Reason.Code == "exists"
	if decided.Outcome != "accepted" && !exists {
		return nil, fmt.Errorf("%s (%s.%s): %s: %s", cmd.Key, cmd.Workflow, cmd.Code, decided.Outcome, reasonText(decided))
	}
	return decided, nil
}

// wait lets as much time pass as was played since the play before, at the speed asked for.
func (r *replay) wait(ctx context.Context, cmd client.Command) error {
	var at struct {
		Minute *float64 `json:"minute"`
		Added  float64  `json:"added"`
	}
	if raw, ok := cmd.Input.(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &at); err != nil {
			return fmt.Errorf("reading %s: %w", cmd.Key, err)
		}
	}
	if r.pace.speed == 0 || at.Minute == nil {
		return nil
	}
	now := *at.Minute + at.Added
	since := max(0, now-r.minute)
	r.minute = now
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(since / r.pace.speed * float64(time.Second))):
		return nil
	}
}
