package prove

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"

	"umpire/client"
)

// State is what the model holds of one family: a few events and fixtures and the keys that were used on them. It is never
// changed in place.
type State struct {
	keys     map[string]kept
	print    uint64 // of keys: two states with the same print have the same keys
	events   map[string]event
	fixtures map[string]fixture
}

// kept is what a stored command leaves under its key.
type kept struct {
	payload string
	verdict Verdict
}

type event struct{ seq int64 }

type fixture struct {
	event    string
	seq      int64
	schedule int64 // changed_seq of its row
	sport    string
	fixed    [3]string // what a started fixture keeps: start, sides
	settings map[string]bool
	plays    []int64
	football Football
}

func (f fixture) lastPlay() int64 {
	if len(f.plays) == 0 {
		return 0
	}
	return f.plays[len(f.plays)-1]
}

func (f fixture) status() string {
	if f.football.Status == "" {
		return "scheduled"
	}
	return f.football.Status
}

// Verdict is an answer as far as the model can tell it.
type Verdict struct {
	Outcome string
	Reason  string
	Seq     int64
	Changed []int64 // of a conflict
	Play    *playResult
	First   *Verdict // of a duplicate
}

// playResult is what an accepted play says of the score.
type playResult struct {
	Play   int64  `json:"play"`
	Period string `json:"period"`
	Status string `json:"status"`
	Before *Goals `json:"before"`
	Score  Goals  `json:"score"`
}

// A Branch is one answer that is allowed, and the state after it.
type Branch struct {
	Verdict Verdict
	State   State
}

// Step gives every answer that the command may get in this state. There is one, save for a race that the catalogue
// documents (exists).
func (s State) Step(c Command) []Branch {
	if k, used := s.keys[c.identity()]; used {
		if k.payload == c.payload() {
			return []Branch{{Verdict{Outcome: "duplicate", First: &k.verdict}, s}}
		}
		return s.refuse("key_reused")
	}
	switch c.Workflow + "." + c.Code {
	case "event.create":
		if _, exists := s.events[c.Ref]; exists {
			return s.store(c, Verdict{Outcome: "refused", Reason: "exists"})
		}
		s.events = maps.Clone(s.events)
		if s.events == nil {
			s.events = map[string]event{}
		}
		s.events[c.Ref] = event{1}
		return s.store(c, Verdict{Outcome: "accepted", Seq: 1})
	case "event.fixture_put":
		return s.put(c)
	case "fixture.note":
		f, exists := s.fixtures[c.Ref]
		if !exists {
			return s.refuse("subject_not_found")
		}
		f.seq++
		return s.with(c.Ref, f).store(c, Verdict{Outcome: "accepted", Seq: f.seq})
	}
	return s.play(c)
}

func (s State) play(c Command) []Branch {
	f, exists := s.fixtures[c.Ref]
	if !exists {
		return s.refuse("subject_not_found")
	}
	saw, stated := c.Saw.(*Saw)
	if !stated || saw == nil || saw.Row != "" {
		return s.refuse("version_missing")
	}
	var seen int64
	if saw.Play != nil {
		seen = *saw.Play
	}
	// No play is 0, so that stating 0 is stating a play that never was.
	if seen != f.lastPlay() || saw.Play != nil && seen == 0 {
		missed := []int64{}
		for _, p := range f.plays {
			if p > seen {
				missed = append(missed, p)
			}
		}
		return []Branch{{Verdict{Outcome: "conflict", Reason: "version_moved", Changed: missed}, s}}
	}
	before := f.football
	if before.Period == "" {
		before.Settings = f.settings
	}
	after, no := before.Play(c.Code, c.Input.(PlayInput))
	if no != "" {
		return s.store(c, Verdict{Outcome: "refused", Reason: no})
	}
	f.seq++
	f.plays = append(slices.Clip(f.plays), f.seq)
	f.football = after
	result := playResult{Play: f.seq, Period: after.Period, Status: after.Status, Score: after.Score}
	if before.Period != "" {
		result.Before = &before.Score
	}
	return s.with(c.Ref, f).store(c, Verdict{Outcome: "accepted", Seq: f.seq, Play: &result})
}

func (s State) put(c Command) []Branch {
	in := c.Input.(FixtureInput)
	e, exists := s.events[c.Ref]
	if !exists {
		return s.refuse("subject_not_found")
	}
	f, known := s.fixtures[in.Fixture]
	saw, stated := c.Saw.(*Saw)
	if !stated || saw == nil || saw.Row != "fixture/"+in.Fixture+"/schedule" {
		return s.refuse("version_missing")
	}
	var seen int64
	if saw.Seq != nil {
		seen = *saw.Seq
	}
	if seen != f.schedule {
		moved := []Branch{{Verdict{Outcome: "conflict", Reason: "version_moved", Changed: []int64{f.schedule}}, s}}
		if saw.Seq == nil && f.event != c.Ref {
			// Two events may be creating the same reference: whoever comes second finds it taken under its own lock.
			moved = append(moved, s.store(c, Verdict{Outcome: "refused", Reason: "exists"})...)
		}
		return moved
	}
	fixed := [3]string{"", in.Home, in.Away}
	if in.StartsAt != nil {
		fixed[0] = *in.StartsAt
	}
	no := ""
	switch {
	case in.Home == in.Away && in.Home != "TBD":
		no = "same_side"
	case !known && in.Sport != "football":
		no = "unknown_sport"
	case !known:
		f = fixture{event: c.Ref, sport: in.Sport}
	case f.event != c.Ref:
		no = "other_event"
	case f.sport != in.Sport:
		no = "sport_fixed"
	case f.status() != "scheduled" && f.fixed != fixed:
		no = "already_started"
	}
	if no != "" {
		return s.store(c, Verdict{Outcome: "refused", Reason: no})
	}
	f.seq++
	f.schedule, f.fixed, f.settings = f.seq, fixed, in.Settings
	e.seq++
	s = s.with(in.Fixture, f)
	s.events = maps.Clone(s.events)
	s.events[c.Ref] = e
	return s.store(c, Verdict{Outcome: "accepted", Seq: e.seq})
}

func (s State) with(ref string, f fixture) State {
	s.fixtures = maps.Clone(s.fixtures)
	if s.fixtures == nil {
		s.fixtures = map[string]fixture{}
	}
	s.fixtures[ref] = f
	return s
}

// refuse is a refusal that leaves nothing.
func (s State) refuse(code string) []Branch {
	return []Branch{{Verdict{Outcome: "refused", Reason: code}, s}}
}

// store is an answer that is kept under the command's key.
func (s State) store(c Command, v Verdict) []Branch {
	s.keys = maps.Clone(s.keys)
	if s.keys == nil {
		s.keys = map[string]kept{}
	}
	s.keys[c.identity()] = kept{c.payload(), v}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, c.identity(), c.payload(), v.Outcome, v.Reason, v.Seq)
	s.print += h.Sum64()
	return []Branch{{v, s}}
}

func (s State) equal(o State) bool {
	return s.print == o.print && len(s.keys) == len(o.keys) &&
		reflect.DeepEqual(s.events, o.events) && reflect.DeepEqual(s.fixtures, o.fixtures)
}

// Differs says how an answer is not the verdict; empty when it is.
func (v Verdict) Differs(a *client.Answer) string {
	var reason string
	if a.Reason != nil {
		reason = a.Reason.Code
	}
	if a.Outcome != v.Outcome || reason != v.Reason || v.Outcome == "accepted" && a.Seq != v.Seq {
		return fmt.Sprintf("answered %s, allowed is %s", brief(a), v)
	}
	if v.First != nil {
		if a.First == nil {
			return "a duplicate without its first answer"
		}
		if wrong := v.First.Differs(a.First); wrong != "" {
			return "a duplicate's first answer: " + wrong
		}
	}
	if v.Changed != nil {
		var rows []struct {
			ChangedSeq int64 `json:"changed_seq"`
		}
		_ = json.Unmarshal(a.Changed, &rows)
		changed := []int64{}
		for _, r := range rows {
			changed = append(changed, r.ChangedSeq)
		}
		if !slices.Equal(changed, v.Changed) {
			return fmt.Sprintf("a conflict that names %v as changed, and it was %v", changed, v.Changed)
		}
	}
	if v.Play != nil {
		var got playResult
		if err := json.Unmarshal(a.Result, &got); err != nil || !reflect.DeepEqual(got, *v.Play) {
			want, _ := json.Marshal(v.Play)
			return fmt.Sprintf("a play's result is %s, and should be %s", a.Result, want)
		}
	}
	return ""
}

func (v Verdict) String() string {
	switch v.Outcome {
	case "accepted":
		return fmt.Sprintf("accepted as number %d", v.Seq)
	case "duplicate":
		return "duplicate of " + v.First.String()
	}
	return v.Outcome + " " + v.Reason
}

func brief(a *client.Answer) string {
	switch {
	case a == nil:
		return "nothing"
	case a.Outcome == "accepted":
		return fmt.Sprintf("accepted as number %d", a.Seq)
	case a.Outcome == "duplicate":
		return "duplicate of " + brief(a.First)
	case a.Reason != nil:
		return a.Outcome + " " + a.Reason.Code
	}
	return a.Outcome
}

// stored says whether such an answer is kept under its key.
func (v Verdict) stored() bool {
	return v.Outcome == "accepted" || v.Outcome == "refused" && storedReason(v.Reason)
}

// storedReason says whether a refusal with this code is kept under its key: only a rule's no is.
func storedReason(code string) bool {
	return !slices.Contains([]string{
		"bad_input", "version_missing", "key_reused", "subject_not_found", "sender_unknown", "not_allowed", "unknown_command",
	}, code)
}
