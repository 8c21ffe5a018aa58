// Package model_test asks road.execute one random command after the other and compares each answer with the one that the
// model in package prove allows. One after the other there is no chance: every answer must be exactly the model's.
package model_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"umpire/client"
	"umpire/prove"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) {
	// Some twenty walks, unless -rapid.checks says otherwise.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	harness.Main(m)
}

// C-132, and the rules of the road behind it: whatever is sent, each answer is the model's. A failure prints the seed and
// the commands, made as few as possible: go test ./tests/model -rapid.seed=N.
func TestEveryAnswerIsTheModels(t *testing.T) {
	conn := senders(t, harness.New(t))
	var walks atomic.Int64
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		// A number for each command, so that commands can be left out one by one to find the few that matter.
		commands := rapid.SliceOfN(rapid.Uint64(), 40, 80).Draw(t, "commands")
		if wrong := newWalk(t.Context(), conn, int(walks.Add(1)), seen).run(commands); wrong != "" {
			t.Fatal(wrong)
		}
	})
	for _, outcome := range []string{"accepted", "duplicate", "conflict version_moved", "refused key_reused", "refused version_missing", "refused exists", "refused wrong_minute", "refused other_event"} {
		if seen[outcome] == 0 {
			t.Errorf("no walk met %s: %v", outcome, seen)
		}
	}
}

// walk is one family of subjects with the model's state of it.
type walk struct {
	ctx    context.Context
	conn   *pgx.Conn
	number int
	family *prove.Family
	state  prove.State
	said   []string
	seen   map[string]int
}

func newWalk(ctx context.Context, conn *pgx.Conn, number int, seen map[string]int) *walk {
	return &walk{ctx: ctx, conn: conn, number: number, family: prove.NewFamily("walk", number), seen: seen}
}

// run sends a command for each number; it says how the first wrong answer is wrong.
func (w *walk) run(commands []uint64) string {
	for _, c := range w.family.Open("anna") {
		if wrong := w.send(c); wrong != "" {
			return wrong
		}
	}
	for i, number := range commands {
		rng := rand.New(rand.NewPCG(number, 0))
		sender := []string{"anna", "ben"}[rng.IntN(2)]
		c := w.family.Command(prove.Roll(rng.IntN), sender, fmt.Sprintf("%d-%d", w.number, i))
		if wrong := w.send(c); wrong != "" {
			return wrong
		}
		if i%8 == 0 {
			if wrong := w.look(); wrong != "" {
				return wrong
			}
		}
	}
	return w.look()
}

func (w *walk) send(c prove.Command) string {
	input, err := json.Marshal(c.Input)
	if err != nil {
		return err.Error()
	}
	var saw *string
	if c.Saw != nil {
		text, err := json.Marshal(c.Saw)
		if err != nil {
			return err.Error()
		}
		saw = new(string)
		*saw = string(text)
	}
	var outcome string
	var body []byte
	err = w.conn.QueryRow(w.ctx, "select outcome, answer from road.execute($1, $2, $3, $4, $5, $6, $7, $8, $9)",
		c.Sender, c.Workflow, c.Kind, c.Ref, c.Code, c.Key, string(input), saw, c.Actor).Scan(&outcome, &body)
	if err != nil {
		return fmt.Sprintf("%s\n%s: %v", strings.Join(w.said, "\n"), c, err)
	}
	var answer client.Answer
	if err := json.Unmarshal(body, &answer); err != nil {
		return err.Error()
	}
	w.said = append(w.said, fmt.Sprintf("%s -> %s", c, body))
	allowed := w.state.Step(c)[0]
	w.state = allowed.State
	w.seen[strings.TrimSpace(answer.Outcome+" "+reason(&answer))]++
	if wrong := allowed.Verdict.Differs(&answer); wrong != "" {
		return strings.Join(w.said, "\n") + "\n" + wrong
	}
	w.family.Learn(c, &answer)
	return ""
}

func reason(a *client.Answer) string {
	if a.Reason == nil {
		return ""
	}
	return a.Reason.Code
}

// look compares what is shown of every fixture with the model's state.
func (w *walk) look() string {
	for _, ref := range w.family.Fixtures() {
		var body []byte
		if err := w.conn.QueryRow(w.ctx, "select road.read('fixture', $1)", ref).Scan(&body); err != nil {
			return err.Error()
		}
		var view prove.View
		if err := json.Unmarshal(body, &view); err != nil {
			return err.Error()
		}
		if wrong := w.state.Shows(ref, &view); wrong != "" {
			return strings.Join(w.said, "\n") + "\n" + ref + ": " + wrong
		}
	}
	return ""
}

func senders(t testing.TB, db *harness.DB) *pgx.Conn {
	t.Helper()
	conn := db.Conn(t)
	if _, err := conn.Exec(t.Context(), `select road.sender_add(s, sha256(s::bytea), null, null, true, true) from unnest(array['anna', 'ben']) s`); err != nil {
		t.Fatal(err)
	}
	return conn
}

// C-132: the model notices when the road or a rule of football is another one.
func TestTheModelNotices(t *testing.T) {
	const execute = "road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)"
	for name, m := range map[string]struct{ function, from, to string }{
		"the payload is not compared":              {execute, "v_first_hash = road.payload_hash(", "true or v_first_hash = road.payload_hash("},
		"a stale play is taken":                    {execute, "if v_seen is distinct from nullif(v_last_play_seq, 0) then", "if false then"},
		"rows are not compared":                    {execute, "if v_changed is not null then", "if v_changed is not null and v_traits.level = 'play' then"},
		"the actor is no part of the key":          {execute, "k.actor = p_actor", "true"},
		"a refusal is not kept":                    {execute, "insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)\n        values (p_sender, p_actor, p_command_id, v_subject_id, null", "return; insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)\n        values (p_sender, p_actor, p_command_id, v_subject_id, null"},
		"a goal counts twice":                      {"sport.football_goal(jsonb,jsonb)", "::integer + 1", "::integer + 2"},
		"a man who was sent off scores":            {"sport.football_goal(jsonb,jsonb)", "in ('second', 'red')", "in ('second')"},
		"any minute will do":                       {"sport.football_minute_fits(text,integer)", "between 1 and 45", "between 1 and 60"},
		"a drawn match is never over":              {"sport.football_period_end(jsonb,jsonb)", "or not (v_extra_time or v_shootout)", ""},
		"a second yellow without a first":          {"sport.football_card(jsonb,jsonb)", "v_card = 'second' and v_has is null", "false"},
		"a fixture's sides change during the game": {"sport.event_fixture_put(road.call)", "v_now.status in ('running', 'suspended', 'abandoned', 'finished')", "false"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			conn := senders(t, harness.New(t))
			var before string
			if err := conn.QueryRow(t.Context(), "select pg_get_functiondef($1::regprocedure)", m.function).Scan(&before); err != nil {
				t.Fatal(err)
			}
			after := strings.ReplaceAll(before, m.from, m.to)
			if after == before {
				t.Fatalf("%s does not hold this text any more: %s", m.function, m.from)
			}
			if _, err := conn.Exec(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			for number := range 60 {
				rng := rand.New(rand.NewPCG(1, uint64(number)))
				commands := make([]uint64, 80)
				for i := range commands {
					commands[i] = rng.Uint64()
				}
				if wrong := newWalk(t.Context(), conn, number, map[string]int{}).run(commands); wrong != "" {
					lines := strings.Split(wrong, "\n")
					t.Logf("noticed in walk %d: %s", number, lines[len(lines)-1])
					return
				}
			}
			t.Fatal("60 walks do not notice")
		})
	}
}
