package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sameJSON compares as JSON: members in any order, numbers as they are written.
func sameJSON(a, b []byte) bool {
	decode := func(text []byte) (any, error) {
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		return v, err
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// first is the first answer as an answer tells it, and whether it tells one that is stored.
func (op Op) first() (json.RawMessage, bool) {
	switch a := op.Answer; {
	case a == nil:
		return nil, false
	case a.Outcome == "duplicate":
		var body struct {
			First json.RawMessage `json:"first"`
		}
		_ = json.Unmarshal(op.Raw, &body)
		return body.First, true
	case a.Outcome == "accepted", a.Outcome == "refused" && a.Reason != nil && storedReason(a.Reason.Code):
		return op.Raw, true
	}
	return nil, false
}

func (h *History) byKey() map[string][]Op {
	all := map[string][]Op{}
	for _, op := range h.Ops {
		all[op.Command.identity()] = append(all[op.Command.identity()], op)
	}
	return all
}

func answered(h *History) (int, []string) {
	var found []string
	for _, op := range h.Ops {
		if op.Answer == nil {
			found = append(found, "never answered: "+op.Command.String())
		}
	}
	return len(h.Ops), found
}

func noFault(h *History) (int, []string) { return len(h.Ops), h.Faults }

// storedOnce: a key with a stored answer is found under it, and its log row is there once on every subject it changed. A
// key that was only refused by its shape or in conflict left nothing.
func storedOnce(h *History) (int, []string) {
	type place struct{ subject, identity string }
	rows := map[place]int{}
	inLogs := map[string]int{}
	seqs := map[place]int64{}
	for _, s := range h.Subjects {
		for _, r := range s.Log {
			p := place{s.name(), r.identity()}
			rows[p]++
			seqs[p] = r.Seq
			inLogs[r.identity()]++
		}
	}
	var found []string
	keys := h.byKey()
	for _, identity := range sortedKeys(keys) {
		var stored, unknown bool
		var want int
		for _, op := range keys[identity] {
			unknown = unknown || op.Answer == nil
			if _, is := op.first(); !is {
				continue
			}
			stored = true
			decided := op.Answer.Decided()
			if decided.Outcome != "accepted" {
				continue
			}
			subjects := []string{op.Command.Kind + "/" + op.Command.Ref}
			if put, is := op.Command.Input.(FixtureInput); is {
				subjects = append(subjects, "fixture/"+put.Fixture)
			}
			want = len(subjects)
			for i, subject := range subjects {
				p := place{subject, identity}
				if rows[p] != 1 {
					found = append(found, fmt.Sprintf("acknowledged, and %d times in the log of %s: %s", rows[p], subject, op.Command))
				} else if i == 0 && seqs[p] != decided.Seq {
					found = append(found, fmt.Sprintf("acknowledged as number %d of %s, and stored as number %d: %s", decided.Seq, subject, seqs[p], op.Command))
				}
			}
		}
		saved := h.Saved[identity]
		switch {
		case stored && !saved.Found:
			found = append(found, "answered, and nothing is saved under its key: "+keys[identity][0].Command.String())
		case !stored && !unknown && saved.Found:
			found = append(found, "never acknowledged, and saved under its key: "+keys[identity][0].Command.String())
		}
		if !unknown && inLogs[identity] != want {
			found = append(found, fmt.Sprintf("in the logs %d times, and should be %d times: %s", inLogs[identity], want, keys[identity][0].Command))
		}
	}
	return len(keys), found
}

// nobodyElse: each row of a log is a command that somebody sent, word for word.
func nobodyElse(h *History) (int, []string) {
	sent := h.byKey()
	var found []string
	looked := 0
	for _, s := range h.Subjects {
		for _, r := range s.Log {
			looked++
			if !slices.ContainsFunc(sent[r.identity()], func(op Op) bool {
				input, err := json.Marshal(op.Command.Input)
				return err == nil && op.Command.Workflow == r.Workflow && op.Command.Code == r.Code && sameJSON(input, r.Input)
			}) {
				found = append(found, fmt.Sprintf("%s number %d: nobody sent %s.%s %s as %s", s.name(), r.Seq, r.Workflow, r.Code, r.Input, r.identity()))
			}
		}
	}
	return looked, found
}

// sameAnswer: all answers that tell of a stored one tell of the same, and so does GET /commands/{key}.
func sameAnswer(h *History) (int, []string) {
	var found []string
	looked := 0
	keys := h.byKey()
	for _, identity := range sortedKeys(keys) {
		var first json.RawMessage
		compare := func(other json.RawMessage, where string) {
			looked++
			if first == nil {
				first = other
			} else if !sameJSON(first, other) {
				found = append(found, fmt.Sprintf("key %s: %s says %s, elsewhere it was %s", identity, where, other, first))
			}
		}
		for _, op := range keys[identity] {
			if raw, is := op.first(); is {
				compare(raw, op.Answer.Outcome)
			}
		}
		if saved := h.Saved[identity]; saved.Found {
			compare(saved.First, "GET /commands")
		}
	}
	return looked, found
}

func gapless(h *History) (int, []string) {
	var found []string
	for _, s := range h.Subjects {
		for i, r := range s.Log {
			if r.Seq != int64(i+1) {
				found = append(found, fmt.Sprintf("%s: number %d stands where %d should", s.name(), r.Seq, i+1))
				break
			}
		}
		if s.Kind == "fixture" && s.View.Seq != int64(len(s.Log)) {
			found = append(found, fmt.Sprintf("%s shows number %d, and its log has %d rows", s.name(), s.View.Seq, len(s.Log)))
		}
	}
	return len(h.Subjects), found
}

func readersComplete(h *History) (int, []string) {
	var found []string
	looked := 0
	logs := map[string][]LogRow{}
	for _, s := range h.Subjects {
		logs[s.name()] = s.Log
	}
	for i, r := range h.Readers {
		looked += len(r.Notes)
		at := map[string]int{}
		for _, n := range r.Notes {
			subject := n.Kind + "/" + n.Ref
			row := at[subject]
			log := logs[subject]
			if row >= len(log) || log[row].Seq != n.Seq || log[row].Workflow != n.Workflow || log[row].Code != n.Code {
				found = append(found, fmt.Sprintf("reader %s: %s number %d came where number %d was due", r.Name, subject, n.Seq, row+1))
				break
			}
			at[subject]++
		}
		for _, subject := range sortedKeys(logs) {
			if at[subject] != len(logs[subject]) {
				found = append(found, fmt.Sprintf("reader %s got %d notes of %s, whose log has %d rows", r.Name, at[subject], subject, len(logs[subject])))
			}
		}
		if i > 0 && !slices.Equal(r.Notes, h.Readers[0].Notes) {
			found = append(found, fmt.Sprintf("readers %s and %s got the notes in different orders", h.Readers[0].Name, r.Name))
		}
	}
	return looked, found
}

func foldsEqual(h *History) (int, []string) {
	var found []string
	for _, text := range h.Replayed {
		found = append(found, "replay: "+text)
	}
	for _, text := range h.Invariants {
		found = append(found, "invariant: "+text)
	}
	return len(h.Subjects), found
}

// scoresEqual folds each fixture's log with the model of football and compares with what is shown.
func scoresEqual(h *History) (int, []string) {
	var found []string
	looked := 0
	for _, s := range h.Subjects {
		if s.Kind != "fixture" {
			continue
		}
		looked++
		if wrong := s.foldWrong(); wrong != "" {
			found = append(found, join(s.name(), wrong))
		}
	}
	return looked, found
}

func (s Subject) foldWrong() string {
	var match Football
	var settings map[string]bool
	var last *int64
	for _, r := range s.Log {
		if r.Workflow == "event" {
			var put FixtureInput
			if err := json.Unmarshal(r.Input, &put); err != nil {
				return err.Error()
			}
			settings = put.Settings
		}
		if r.Workflow != "football" {
			continue
		}
		var in PlayInput
		if err := json.Unmarshal(r.Input, &in); err != nil {
			return err.Error()
		}
		if match.Period == "" {
			match.Settings = settings
		}
		after, no := match.Play(r.Code, in)
		if no != "" {
			return fmt.Sprintf("number %d, %s %s, is against the rules (%s) and was accepted", r.Seq, r.Code, r.Input, no)
		}
		match, last = after, &r.Seq
	}
	if number(last) != number(s.View.LastPlay) {
		return fmt.Sprintf("shows last play %s, and it was %s", number(s.View.LastPlay), number(last))
	}
	if status := (fixture{football: match}).status(); s.View.Data.Status != status {
		return fmt.Sprintf("shows status %s, and it is %s", s.View.Data.Status, status)
	}
	return sameMatch(s.View.Data.Score, match)
}
