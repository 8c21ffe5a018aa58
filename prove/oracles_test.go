package prove

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"umpire/client"
)

// played is a small history in which all is well: an event, a fixture, a first half with a goal, a duplicate, a refusal, a
// conflict, a note, a look, and two readers.
func played(t *testing.T) *History {
	t.Helper()
	h := &History{Saved: map[string]Saved{}}
	var state State
	logs := map[string]*Subject{}
	subject := func(kind, ref string) *Subject {
		if logs[kind+ref] == nil {
			logs[kind+ref] = &Subject{Kind: kind, Ref: ref}
		}
		return logs[kind+ref]
	}
	var notes []Note
	var now int64
	send := func(key string, c Command) {
		c.Sender, c.Key = "anna", key
		branches := state.Step(c)
		if len(branches) == 0 {
			t.Fatalf("the model has no answer to %s", c)
		}
		v := branches[0].Verdict
		_, repeated := state.keys[c.identity()]
		state = branches[0].State
		op := Op{Family: "f", Command: c, Attempts: 1, Call: now, Return: now + 5, Answer: answerOf(v)}
		op.Raw, _ = json.Marshal(op.Answer)
		now += 10
		h.Ops = append(h.Ops, op)
		if v.stored() {
			h.Saved[c.identity()] = Saved{true, op.Raw}
		}
		if v.Outcome != "accepted" || repeated {
			return
		}
		input, err := json.Marshal(c.Input)
		if err != nil {
			t.Fatal(err)
		}
		add := func(s *Subject) {
			seq := int64(len(s.Log) + 1)
			s.Log = append(s.Log, LogRow{seq, c.Sender, c.Actor, c.Key, c.Workflow, c.Code, input})
			notes = append(notes, Note{s.Kind, s.Ref, seq, c.Workflow, c.Code})
		}
		add(subject(c.Kind, c.Ref))
		if put, is := c.Input.(FixtureInput); is {
			add(subject("fixture", put.Fixture))
		}
	}
	at := func(n int64) *Saw { return &Saw{Play: &n} }
	send("k1", command("event", "create", "event", "cup", map[string]any{"name": "Cup"}, nil))
	send("k2", command("event", "fixture_put", "event", "cup", FixtureInput{Fixture: "final", Sport: "football", Home: "Reds", Away: "Blues"}, &Saw{Row: "fixture/final/schedule"}))
	send("k3", command("football", "period_start", "fixture", "final", PlayInput{Period: "H1"}, &Saw{}))
	send("k4", command("football", "goal", "fixture", "final", PlayInput{Side: "home", Minute: 7}, at(2)))
	send("k4", command("football", "goal", "fixture", "final", PlayInput{Side: "home", Minute: 7}, at(2)))
	send("k5", command("football", "goal", "fixture", "final", PlayInput{Side: "away", Minute: 99}, at(3)))
	send("k6", command("football", "goal", "fixture", "final", PlayInput{Side: "away", Minute: 9}, at(2)))
	send("k7", command("fixture", "note", "fixture", "final", map[string]any{"text": "x"}, nil))
	f := state.fixtures["final"]
	last := f.lastPlay()
	view := View{Seq: f.seq, LastPlay: &last}
	view.Data.Event, view.Data.Status, view.Data.Score = f.event, f.status(), f.football
	subject("fixture", "final").View = view
	h.Looks = []Look{{Family: "f", Ref: "final", Call: now, Return: now + 5, View: view}}
	h.Subjects = []Subject{*subject("event", "cup"), *subject("fixture", "final")}
	h.Readers = []Reader{{"one", notes}, {"two", slices.Clone(notes)}}
	return h
}

func answerOf(v Verdict) *client.Answer {
	a := &client.Answer{Outcome: v.Outcome, Seq: v.Seq}
	if v.Reason != "" {
		a.Reason = &client.Reason{Code: v.Reason}
	}
	if v.First != nil {
		a.First = answerOf(*v.First)
	}
	if v.Play != nil {
		a.Result, _ = json.Marshal(v.Play)
	}
	var rows []map[string]int64
	for _, seq := range v.Changed {
		rows = append(rows, map[string]int64{"changed_seq": seq})
	}
	a.Changed, _ = json.Marshal(rows)
	return a
}

func judged(h *History) map[string][]string {
	found := map[string][]string{}
	for _, f := range Judge(h, Oracles(10*time.Second), func(Oracle, int, []string) {}) {
		found[f.Oracle] = append(found[f.Oracle], f.Text)
	}
	return found
}

func TestOraclesFindNothingWhereNothingIs(t *testing.T) {
	h := played(t)
	if found := judged(h); len(found) > 0 {
		t.Fatalf("found %v", found)
	}
	for _, o := range Oracles(time.Second) {
		if looked, _ := o.Check(h); looked == 0 {
			t.Errorf("%s looked at nothing", o.Name)
		}
	}
}

// C-132: what each oracle is for, broken in the history, is found by it.
func TestOraclesFindWhatIsBroken(t *testing.T) {
	final := func(h *History) *Subject { return &h.Subjects[1] }
	op := func(h *History, key string, n int) *Op {
		for i := range h.Ops {
			if h.Ops[i].Command.Key == key {
				if n == 0 {
					return &h.Ops[i]
				}
				n--
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		breaks func(h *History)
		found  map[string]string // by which oracle, and what it says
	}{
		"a command that was acknowledged is lost": {
			func(h *History) {
				final(h).Log = final(h).Log[:3]
				delete(h.Saved, "anna||k7")
				for i := range h.Readers {
					h.Readers[i].Notes = h.Readers[i].Notes[:len(h.Readers[i].Notes)-1]
				}
				final(h).View.Seq = 3
			},
			map[string]string{"stored_once": "acknowledged, and 0 times in the log of fixture/final"},
		},
		"a command is stored twice": {
			func(h *History) {
				row := final(h).Log[3]
				row.Seq = 5
				final(h).Log = append(final(h).Log, row)
				final(h).View.Seq = 5
			},
			map[string]string{"stored_once": "acknowledged, and 2 times in the log", "readers": "got 4 notes of fixture/final, whose log has 5"},
		},
		"acknowledged under another number": {
			func(h *History) { op(h, "k7", 0).Answer.Seq = 9 },
			map[string]string{"stored_once": "acknowledged as number 9 of fixture/final, and stored as number 4", "linearizable": "accepted as number 9, allowed is accepted as number 4"},
		},
		"a command in conflict is saved": {
			func(h *History) { h.Saved["anna||k6"] = Saved{true, json.RawMessage(`{}`)} },
			map[string]string{"stored_once": "never acknowledged, and saved"},
		},
		"a refusal is not remembered": {
			func(h *History) { delete(h.Saved, "anna||k5") },
			map[string]string{"stored_once": "nothing is saved under its key"},
		},
		"something that nobody sent": {
			func(h *History) { final(h).Log[3].Key = "k99" },
			map[string]string{"nobody_else": "nobody sent fixture.note"},
		},
		"something else than was sent": {
			func(h *History) { final(h).Log[3].Input = json.RawMessage(`{"text":"y"}`) },
			map[string]string{"nobody_else": `nobody sent fixture.note {"text":"y"}`},
		},
		"a replay gives another answer": {
			func(h *History) {
				second := op(h, "k4", 1)
				second.Raw = []byte(strings.Replace(string(second.Raw), `"home":1`, `"home":2`, 1))
			},
			map[string]string{"same_answer": "duplicate says"},
		},
		"the saved answer is another": {
			func(h *History) {
				h.Saved["anna||k3"] = Saved{true, json.RawMessage(`{"outcome":"accepted","seq":77}`)}
			},
			map[string]string{"same_answer": "GET /commands says"},
		},
		"a number is missing in a log": {
			func(h *History) { final(h).Log[2].Seq = 4; final(h).Log[3].Seq = 5 },
			map[string]string{"gapless": "number 4 stands where 3 should"},
		},
		"the number shown is not the log's": {
			func(h *History) { final(h).View.Seq = 9 },
			map[string]string{"gapless": "shows number 9, and its log has 4 rows"},
		},
		"a reader misses a note": {
			func(h *History) { h.Readers[1].Notes = slices.Delete(h.Readers[1].Notes, 3, 4) },
			map[string]string{"readers": "reader two: fixture/final number 3 came where number 2 was due"},
		},
		"a reader misses the last note": {
			func(h *History) { h.Readers[1].Notes = h.Readers[1].Notes[:5] },
			map[string]string{"readers": "reader two got 3 notes of fixture/final"},
		},
		"a reader gets notes of one subject in another order": {
			func(h *History) { n := h.Readers[1].Notes; n[3], n[4] = n[4], n[3] },
			map[string]string{"readers": "came where number 2 was due"},
		},
		"two readers get notes in different orders": {
			func(h *History) { n := h.Readers[1].Notes; n[0], n[2] = n[2], n[0] },
			map[string]string{"readers": "different orders"},
		},
		"a reader gets a note twice": {
			func(h *History) { h.Readers[0].Notes = append(h.Readers[0].Notes, h.Readers[0].Notes[5]) },
			map[string]string{"readers": "came where number 5 was due"},
		},
		"the database's own replay differs": {
			func(h *History) { h.Replayed = []string{"fixture/final: shown 1, replayed 2"} },
			map[string]string{"folds": "shown 1, replayed 2"},
		},
		"an invariant is broken": {
			func(h *History) { h.Invariants = []string{"log_gapless: x"} },
			map[string]string{"folds": "log_gapless"},
		},
		"a goal counts twice": {
			func(h *History) { final(h).View.Data.Score.Score.Home = 2 },
			map[string]string{"score": `"home":2`},
		},
		"a play against the rules was accepted": {
			func(h *History) { final(h).Log[2].Input = json.RawMessage(`{"side":"home","minute":77}`) },
			map[string]string{"score": "against the rules (wrong_minute)"},
		},
		"the status shown is not the match's": {
			func(h *History) { final(h).View.Data.Status = "finished" },
			map[string]string{"score": "shows status finished, and it is running"},
		},
		"a view from nowhere": {
			func(h *History) { h.Looks[0].View.Seq = 3 },
			map[string]string{"linearizable": "shown number 3"},
		},
		"a view that is too late": {
			func(h *History) {
				look := h.Looks[0]
				old := int64(2)
				look.View.Seq, look.View.LastPlay, look.View.Data.Score.Score = 2, &old, Goals{}
				h.Looks[0] = look
			},
			map[string]string{"linearizable": "shown number 2"},
		},
		"the twin of an accepted play is told of a conflict": {
			func(h *History) {
				op(h, "k4", 1).Answer = answerOf(Verdict{Outcome: "conflict", Reason: "version_moved", Changed: []int64{3}})
			},
			map[string]string{"linearizable": "answered conflict version_moved, allowed is duplicate of accepted as number 3"},
		},
		"a conflict leaves out what changed": {
			func(h *History) { op(h, "k6", 0).Answer.Changed = json.RawMessage(`[]`) },
			map[string]string{"linearizable": "names [] as changed, and it was [3]"},
		},
		"a rule refuses what it should not": {
			func(h *History) {
				op(h, "k5", 0).Answer.Reason.Code = "sent_off"
			},
			map[string]string{"linearizable": "answered refused sent_off, allowed is refused wrong_minute"},
		},
		"an answer before its command": {
			func(h *History) { o := op(h, "k7", 0); o.Call, o.Return = 1, 2 },
			map[string]string{"linearizable": "cannot place"},
		},
		"a sender never learns": {
			func(h *History) { op(h, "k7", 0).Answer = nil },
			map[string]string{"answered": "never answered: fixture.note"},
		},
		"the server says that it failed": {
			func(h *History) { h.Faults = []string{"500"} },
			map[string]string{"no_fault": "500"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := played(t)
			c.breaks(h)
			found := judged(h)
			for oracle, says := range c.found {
				if !strings.Contains(strings.Join(found[oracle], "\n"), says) {
					t.Errorf("%s does not say %q; found %v", oracle, says, found)
				}
			}
		})
	}
}

// A command that never got an answer may have happened, or not: neither is a finding of the search for an order.
func TestWhatGotNoAnswerMayHaveHappened(t *testing.T) {
	for _, happened := range []bool{true, false} {
		h := played(t)
		h.Looks = nil
		lost := &h.Ops[len(h.Ops)-1]
		lost.Answer = nil
		late := Op{Family: "f", Command: lost.Command, Attempts: 1, Call: lost.Return + 1, Return: lost.Return + 2}
		late.Command.Key = "k8"
		seq := int64(4)
		if happened {
			seq = 5
		}
		late.Answer = &client.Answer{Outcome: "accepted", Seq: seq}
		h.Ops = append(h.Ops, late)
		if _, found := linearizable(h, 10*time.Second); len(found) > 0 {
			t.Errorf("happened %v: %v", happened, found)
		}
		late.Answer.Seq = 6
		if _, found := linearizable(h, 10*time.Second); len(found) == 0 {
			t.Errorf("a number that cannot be is not found (happened %v)", happened)
		}
	}
}

// The command that was sent again and is a duplicate of its own lost attempt; sent once, it cannot be.
func TestARetriedCommandMayBeADuplicateOfItself(t *testing.T) {
	h := played(t)
	op := &h.Ops[len(h.Ops)-1]
	op.Answer = &client.Answer{Outcome: "duplicate", First: op.Answer}
	op.Attempts = 2
	if _, found := linearizable(h, 10*time.Second); len(found) > 0 {
		t.Errorf("sent twice: %v", found)
	}
	op.Attempts = 1
	if _, found := linearizable(h, 10*time.Second); len(found) == 0 {
		t.Error("sent once, a duplicate of itself is not found")
	}
}

// A seed makes the same choices each time, and another one others.
func TestSeedsAreRepeatable(t *testing.T) {
	choices := func(seed uint64) string {
		var all []string
		f := NewFamily("p", 0)
		rng := newRand(seed, 3)
		for i := range 200 {
			d := choose(rng)
			c := f.Command(d.Dice, "anna", fmt.Sprint(i))
			all = append(all, c.String())
		}
		return strings.Join(all, "\n")
	}
	first, second := choices(7), choices(7)
	if first != second {
		t.Error("one seed, two sequences")
	}
	if first == choices(8) {
		t.Error("two seeds, one sequence")
	}
}

// Without an answer nobody knows when it happened: also long after its sender gave up.
func TestWhatGotNoAnswerMayHappenLate(t *testing.T) {
	h := played(t)
	h.Looks = nil
	lost := &h.Ops[len(h.Ops)-1]
	lost.Answer = nil
	for i, seq := range []int64{4, 6} { // 5 is the lost one's
		late := Op{Family: "f", Command: lost.Command, Attempts: 1, Call: lost.Return + 10*int64(i+1), Answer: &client.Answer{Outcome: "accepted", Seq: seq}}
		late.Command.Key, late.Return = fmt.Sprintf("late-%d", i), late.Call+5
		h.Ops = append(h.Ops, late)
	}
	if _, found := linearizable(h, 10*time.Second); len(found) > 0 {
		t.Error(found)
	}
}
