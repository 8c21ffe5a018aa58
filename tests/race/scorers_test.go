package race_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"umpire/tests/harness"
)

// Two scorers, each on a server of its own, send the same goal with the same last-seen play, 200 times: one is accepted,
// the other gets a conflict that carries the play it missed. Then both undo that goal: one does, the other's is a conflict,
// and no other play is hit.
func TestTwoScorers(t *testing.T) {
	t.Parallel()
	db := harness.New(t)
	layOut(t, db.URL())
	conn := db.Conn(t)
	like := func(c *pgxpool.Config) {
		c.MaxConns = 1
		for name, value := range map[string]string{"role": "umpire_app", "lock_timeout": "2s", "statement_timeout": "5s"} {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	pools := []*pgxpool.Pool{db.Pool(t, like), db.Pool(t, like)}
	ctx, cancel := context.WithTimeout(t.Context(), 8*limit)
	defer cancel()

	type said struct {
		Outcome string `json:"outcome"`
		Seq     int64  `json:"seq"`
		Changed []struct {
			RowID string `json:"row_id"`
			Value struct {
				Code string `json:"code"`
			} `json:"value"`
		} `json:"changed"`
		err error
	}
	// both sends one command from both scorers at once and gives the one that was accepted and the other.
	both := func(round int, workflow, code, input, saw string) (won, lost said) {
		t.Helper()
		results := make(chan said, 2)
		for i, pool := range pools {
			go func() {
				var s said
				var text string
				s.err = pool.QueryRow(ctx, "select answer::text from road.execute('scorer', $1, 'fixture', 'final', $2, $3, $4, $5)",
					workflow, code, fmt.Sprintf("%s-%d-%d", code, round, i), input, saw).Scan(&text)
				if s.err == nil {
					s.err = json.Unmarshal([]byte(text), &s)
				}
				results <- s
			}()
		}
		won, lost = <-results, <-results
		if won.Outcome == "conflict" {
			won, lost = lost, won
		}
		if won.err != nil || lost.err != nil || won.Outcome != "accepted" || lost.Outcome != "conflict" {
			t.Fatalf("round %d, %s: %+v and %+v, want one accepted and one conflict", round, code, won, lost)
		}
		return won, lost
	}
	lastPlay := value[int64](t, conn, "select last_play_seq from road.subject where ref = 'final'")
	for round := range 200 {
		won, lost := both(round, "football", "goal", `{"side": "home", "minute": 5}`, fmt.Sprintf(`{"play": %d}`, lastPlay))
		lastPlay = won.Seq
		row := fmt.Sprintf("fixture/final/play/%d", lastPlay)
		if len(lost.Changed) != 1 || lost.Changed[0].RowID != row || lost.Changed[0].Value.Code != "goal" {
			t.Fatalf("round %d: the conflict carries %+v, want %s", round, lost.Changed, row)
		}
		if round%2 == 0 {
			continue
		}
		_, lost = both(round, "fixture", "play_void", fmt.Sprintf(`{"play": %d, "reason": "Twice."}`, lastPlay), fmt.Sprintf(`{"rows": {%q: %d}}`, row, lastPlay))
		if len(lost.Changed) != 1 || lost.Changed[0].RowID != row {
			t.Fatalf("round %d: the undo's conflict carries %+v, want %s", round, lost.Changed, row)
		}
	}
	if got := value[string](t, conn, `
		select (c.state #>> '{score,home}') || ' ' || count(*) || ' ' || count(p.voided_by)
		from sport.fixture_score c join sport.play p using (fixture_id) join road.subject s on s.subject_id = c.fixture_id
		where s.ref = 'final' and p.code = 'goal' group by c.state`); got != "100 200 100" {
		t.Errorf("score, goals and undone goals are %s, want 100 200 100", got)
	}
}
