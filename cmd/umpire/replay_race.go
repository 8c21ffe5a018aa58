package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"umpire/client"
)

// race sends a play twice at the same moment, as two scorers who saw the same last play, each under a key of its own. One
// of them must be accepted; the other must get a conflict that carries the play it missed.
func (r *replay) race(ctx context.Context, cmd client.Command) error {
	var answers [2]*client.Answer
	var failed [2]error
	ready := make(chan struct{})
	var both sync.WaitGroup
	for i, scorer := range []string{"a", "b"} {
		mine := cmd
		mine.Key += ":" + scorer
		both.Go(func() {
			<-ready
			answers[i], failed[i] = r.client.Send(ctx, mine)
		})
	}
	close(ready)
	both.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return fmt.Errorf("%s (%s.%s): %w", cmd.Key, cmd.Workflow, cmd.Code, err)
	}
	winner, loser := answers[0], answers[1]
	if winner.Outcome == "conflict" {
		winner, loser = loser, winner
	}
	r.counts[winner.Outcome]++
	r.counts[loser.Outcome]++
	winner = winner.Decided()
	if winner.Outcome != "accepted" || loser.Outcome != "conflict" {
		return fmt.Errorf("%s (%s.%s): one scorer got %s: %s, the other %s: %s; want one accepted and one conflict",
			cmd.Key, cmd.Workflow, cmd.Code, winner.Outcome, reasonText(winner), loser.Outcome, reasonText(loser))
	}
	var missed []struct {
		RowID string `json:"row_id"`
	}
	if err := json.Unmarshal(loser.Changed, &missed); err != nil {
		return fmt.Errorf("%s: reading the conflict: %w", cmd.Key, err)
	}
	row := fmt.Sprintf("fixture/%s/play/%d", cmd.Ref, winner.Seq)
	for _, m := range missed {
		if m.RowID == row {
			r.lastPlay = &winner.Seq
			return nil
		}
	}
	return fmt.Errorf("%s: the conflict does not carry the play that was missed, %s: %s", cmd.Key, row, loser.Changed)
}
