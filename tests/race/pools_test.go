package race_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"umpire/tests/harness"
)

// ID-01: one command from two servers at the same instant, 200 times, with a third that has the same key and another
// body. Two pools, set up as two servers' are: the role and the limits ride on the startup packet.
func TestTwoPoolsUnderOneKey(t *testing.T) {
	t.Parallel()
	db := harness.New(t)
	layOut(t, db.URL())
	like := func(c *pgxpool.Config) {
		c.MaxConns = 2
		for name, value := range map[string]string{
			"role": "umpire_app", "lock_timeout": "2s", "statement_timeout": "5s", "idle_in_transaction_session_timeout": "5s",
		} {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	pools := []*pgxpool.Pool{db.Pool(t, like), db.Pool(t, like)}

	type said struct {
		outcome string
		answer  string
		err     error
	}
	send := func(ctx context.Context, pool *pgxpool.Pool, key, text string) said {
		var s said
		s.err = pool.QueryRow(ctx, "select outcome, answer::text from road.execute('scorer', 'fixture', 'fixture', 'final', 'note', $1, jsonb_build_object('text', $2::text))", key, text).
			Scan(&s.outcome, &s.answer)
		return s
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*limit)
	defer cancel()
	applied, reused := 0, 0
	for round := range 200 {
		key := fmt.Sprintf("round-%d", round)
		results := make([]chan said, 3)
		for i, text := range []string{"same", "same", "other"} {
			results[i] = make(chan said, 1)
			go func() { results[i] <- send(ctx, pools[i%2], key, text) }()
		}
		one, twin, other := <-results[0], <-results[1], <-results[2]
		for _, s := range []said{one, twin, other} {
			if s.err != nil {
				t.Fatalf("round %d: %v", round, s.err)
			}
		}
		if twin.outcome == "accepted" {
			one, twin = twin, one
		}
		var d struct{ First json.RawMessage }
		if err := json.Unmarshal([]byte(twin.answer), &d); err != nil {
			t.Fatal(err)
		}
		switch {
		case one.outcome == "accepted" && twin.outcome == "duplicate" && other.outcome == "refused":
			if canonical(t, string(d.First)) != canonical(t, one.answer) {
				t.Fatalf("round %d: the twin got %s, the first %s", round, d.First, one.answer)
			}
			applied++
		case one.outcome == "refused" && twin.outcome == "refused" && other.outcome == "accepted":
			reused++
		default:
			t.Fatalf("round %d: %+v %+v %+v", round, one, twin, other)
		}
	}
	t.Logf("the twins came first %d times, the other %d times", applied, reused)
	conn := db.Conn(t)
	if n := value[int](t, conn, "select count(*)::int from road.log where command_id like 'round-%'"); n != 200 {
		t.Errorf("%d log rows for 200 keys", n)
	}
}
