package prove

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"umpire/client"
)

const (
	liveFamilies  = 3   // used at a time
	familyBudget  = 240 // commands, then another one takes its place: judging takes more than linear time
	fixturesEach  = 3
	nobodysRef    = "nowhere" // is never created, so that what is refused now cannot be accepted by a late attempt
	everyNthTwice = 3
)

// A Family is two events and some fixtures that belong to one of them: all that one command may touch.
type Family struct {
	name     string
	events   [2]string
	fixtures [fixturesEach]string
	opened   sync.Once

	mu    sync.Mutex
	left  int
	known [fixturesEach]knowledge
	sent  []Command // for using a key again
}

// knowledge is what senders know of a fixture: never more than is true, sometimes less.
type knowledge struct {
	schedule int64
	lastPlay int64
	period   string
	running  bool
}

// NewFamily names a family's subjects; Open creates its events.
func NewFamily(prefix string, number int) *Family {
	f := &Family{name: fmt.Sprintf("%s-%d", prefix, number), left: familyBudget}
	f.events = [2]string{f.name + "-a", f.name + "-b"}
	for i := range f.fixtures {
		f.fixtures[i] = fmt.Sprintf("%s-x%d", f.name, i)
	}
	return f
}

// Open gives the commands that create the family's events, to be sent before all others.
func (f *Family) Open(sender string) []Command {
	var all []Command
	for i, ref := range f.events {
		c := command("event", "create", "event", ref, map[string]any{"name": "Cup"}, nil)
		c.Sender, c.Key = sender, fmt.Sprintf("open-%s-%d", f.name, i)
		all = append(all, c)
	}
	return all
}

// Fixtures are the references of the fixtures that are known to exist.
func (f *Family) Fixtures() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for i, ref := range f.fixtures {
		if f.known[i].schedule > 0 {
			all = append(all, ref)
		}
	}
	return all
}

// world is the families in use.
type world struct {
	prefix string
	mu     sync.Mutex
	live   [liveFamilies]*Family
	all    []*Family
}

// take gives the family in a slot and takes one from its budget.
func (w *world) take(slot int) *Family {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.live[slot]
	if f == nil || f.left == 0 {
		f = NewFamily(w.prefix, len(w.all))
		w.live[slot] = f
		w.all = append(w.all, f)
	}
	f.left--
	return f
}

func newRand(seed uint64, sender int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(sender))) }

// choice is what a sender does next.
type choice struct {
	Dice
	hangUp   bool // after patience
	patience time.Duration
	after    int  // sent again after so many other commands
	look     bool // at the fixture first
	later    bool // when it is sent twice: one after the other
}

func choose(rng *rand.Rand) choice {
	return choice{
		Dice: Roll(rng.IntN), hangUp: rng.IntN(20) == 0, patience: time.Duration(rng.IntN(30)) * time.Millisecond,
		after: 1 + rng.IntN(12), look: rng.IntN(10) == 0, later: rng.IntN(2) == 0,
	}
}

// Dice are all that one command takes from the random numbers: always the same count, so that a sender's choices come
// from the seed alone, whatever it is answered.
type Dice struct {
	slot, what, fixture, event, reuse, which, saw, actor, minute, side, person, detail, settings, meet int
}

// Roll throws the dice; intn gives a number below n.
func Roll(intn func(n int) int) Dice {
	return Dice{
		slot: intn(liveFamilies), what: intn(100), fixture: intn(fixturesEach), event: intn(100), reuse: intn(100),
		which: intn(1 << 20), saw: intn(100), actor: intn(5), minute: intn(100), side: intn(2), person: intn(14),
		detail: intn(100), settings: intn(4), meet: intn(100),
	}
}

// Command makes the sender's next command on the family. key is new.
func (f *Family) Command(d Dice, sender, key string) Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.body(d)
	c.Sender, c.Key = sender, key
	if d.actor == 0 {
		c.Actor = "person"
	}
	if len(f.sent) > 0 {
		old := f.sent[d.which%len(f.sent)]
		switch {
		case d.reuse < 4: // another body under a key that was used
			c.Key, c.Actor = old.Key, old.Actor
			if d.which%2 == 0 {
				c.Sender = old.Sender
			}
		case d.reuse < 8: // the same command once more, long after
			c = old
		case d.reuse < 10: // the same key of another sender or actor
			c.Key = old.Key
		}
	}
	f.sent = append(f.sent, c)
	return c
}

func (f *Family) body(d Dice) Command {
	k := f.known[d.fixture]
	ref := f.fixtures[d.fixture]
	event := f.events[0]
	if d.event < 12 {
		event = f.events[1]
	}
	switch {
	case d.what < 4:
		return command("event", "create", "event", event, map[string]any{"name": fmt.Sprintf("Cup %d", d.detail%2)}, nil)
	case d.what < 16 || k.schedule == 0:
		return f.put(d, event, ref, k)
	case d.what < 40:
		if d.detail == 0 {
			ref = nobodysRef
		}
		return command("fixture", "note", "fixture", ref, map[string]any{"text": fmt.Sprintf("line %d", d.minute), "minute": d.minute}, nil)
	}
	code, in := play(d, k)
	var saw any
	switch last := k.lastPlay; {
	case d.saw < 4: // not stated
	case d.saw < 8 || last == 0:
		saw = &Saw{}
	case d.saw < 14:
		last--
		saw = &Saw{Play: &last}
	default:
		saw = &Saw{Play: &last}
	}
	return command("football", code, "fixture", ref, in, saw)
}

func command(workflow, code, kind, ref string, input, saw any) Command {
	return Command{Command: client.Command{Workflow: workflow, Code: code, Kind: kind, Ref: ref, Input: input, Saw: saw}}
}

func (f *Family) put(d Dice, event, ref string, k knowledge) Command {
	in := FixtureInput{Fixture: ref, Sport: "football", Home: "Reds", Away: "Blues", Venue: fmt.Sprintf("Ground %d", d.minute%3)}
	switch {
	case d.detail < 4:
		in.Away = in.Home
	case d.detail < 8:
		in.Sport = "quidditch"
	case d.detail < 16:
		in.Home, in.Away = "TBD", "TBD"
	case d.detail < 50:
		at := fmt.Sprintf("2030-06-%02dT15:00:00Z", 1+d.minute%3)
		in.StartsAt = &at
	}
	switch d.settings {
	case 0, 1:
		in.Settings = map[string]bool{"extra_time": true, "shootout": true}
	case 2:
		in.Settings = map[string]bool{"shootout": true}
	}
	saw := &Saw{Row: "fixture/" + ref + "/schedule"}
	if seen := k.schedule; seen > 0 && d.saw >= 6 {
		saw.Seq = &seen
	}
	if d.saw >= 96 {
		return command("event", "fixture_put", "event", event, in, nil)
	}
	return command("event", "fixture_put", "event", event, in, saw)
}

// play is a play that is likely to fit, and often does not.
func play(d Dice, k knowledge) (string, PlayInput) {
	side := []string{"home", "away"}[d.side]
	person := fmt.Sprintf("Player %d", d.person)
	first := map[string]int{"H1": 1, "H2": 46, "ET1": 91, "ET2": 106}[k.period]
	next := map[string][]string{"": {"H1"}, "H1": {"H2"}, "H2": {"ET1", "PSO"}, "ET1": {"ET2"}, "ET2": {"PSO"}, "PSO": {"PSO"}}[k.period]
	any := []string{"H1", "H2", "ET1", "ET2", "PSO"}[d.which%5]
	scored := d.minute%4 > 0
	kick := PlayInput{Side: side, Scored: &scored}
	if d.detail%5 > 0 {
		kick.Taker = person
	}
	switch {
	case d.meet < 4: // a period that is likely to be wrong
		return []string{"period_start", "period_end"}[d.side], PlayInput{Period: any}
	case !k.running && d.meet < 75:
		return "period_start", PlayInput{Period: next[d.which%len(next)]}
	case k.period == "PSO" && d.meet < 90 || d.meet < 8:
		return "kick", kick
	case d.meet < 24:
		return "period_end", PlayInput{Period: k.period + map[bool]string{true: "H1"}[k.period == ""]}
	case d.meet < 45:
		return "card", PlayInput{Side: side, Person: person, Card: []string{"yellow", "yellow", "second", "red"}[d.detail%4], Minute: 1 + d.minute}
	}
	goal := PlayInput{Side: side, Minute: max(1, first) + d.minute%16, Kind: []string{"", "goal", "penalty", "own"}[d.which%4]}
	if d.detail%10 == 9 { // of any period
		goal.Minute = 1 + d.minute
	}
	if d.detail < 70 {
		goal.Scorer = person
	}
	if d.detail%10 < 4 {
		goal.Assist = fmt.Sprintf("Player %d", d.minute%14)
	}
	return "goal", goal
}

// Learn takes over what an answer tells.
func (f *Family) Learn(c Command, a *client.Answer) {
	decided := a.Decided()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, ref := range f.fixtures {
		k := &f.known[i]
		if put, is := c.Input.(FixtureInput); is && put.Fixture == ref {
			switch decided.Outcome {
			case "accepted":
				k.schedule = max(k.schedule, resultRow(decided.Result, "fixture/"+ref+"/schedule"))
			case "conflict":
				k.schedule = max(k.schedule, lastChanged(decided.Changed))
			}
		}
		if in, is := c.Input.(PlayInput); is && c.Ref == ref {
			switch {
			case decided.Outcome == "conflict":
				k.lastPlay = max(k.lastPlay, lastChanged(decided.Changed))
			case decided.Outcome == "accepted" && decided.Seq > k.lastPlay:
				k.lastPlay = decided.Seq
				switch c.Code {
				case "period_start":
					k.period, k.running = in.Period, true
				case "period_end":
					k.running = false
				}
			}
		}
	}
}

// see takes over what a view tells.
func (f *Family) see(ref string, v View) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.fixtures {
		if f.fixtures[i] != ref {
			continue
		}
		k := &f.known[i]
		if row := v.Data.Rows["fixture/"+ref+"/schedule"]; row != nil {
			k.schedule = max(k.schedule, *row)
		}
		if v.LastPlay != nil && *v.LastPlay >= k.lastPlay {
			k.lastPlay, k.period, k.running = *v.LastPlay, v.Data.Score.Period, v.Data.Score.Running
		}
	}
}
