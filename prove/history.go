package prove

import (
	"encoding/json"
	"strings"
	"time"

	"umpire/client"
)

// History is all that is known about a run: what was sent and answered, then what is stored and shown.
type History struct {
	Ops    []Op
	Looks  []Look
	Faults []string // answers that say the server itself is at fault

	Saved      map[string]Saved // by identity: what GET /commands/{key} says after the run
	Subjects   []Subject
	Readers    []Reader
	Replayed   []string // what road.verify says is wrong
	Invariants []string // what road.invariants says is wrong
}

// Op is one sending of one command, with all its retries. A command that is sent twice is two of them.
type Op struct {
	Family   string
	Client   int
	Command  Command
	Attempts int   // more than one: some got no answer, or try_again
	Call     int64 // nanoseconds since the run began
	Return   int64
	Answer   *client.Answer  // nil: no answer was ever got
	Raw      json.RawMessage // the answer's body
}

// Look is one read of a fixture's state.
type Look struct {
	Family string
	Client int
	Ref    string
	Call   int64
	Return int64
	View   View
}

// View is what a fixture shows of itself.
type View struct {
	Seq      int64  `json:"seq"`
	LastPlay *int64 `json:"last_play"`
	Data     struct {
		Event  string            `json:"event"`
		Status string            `json:"status"`
		Score  Football          `json:"score"`
		Rows   map[string]*int64 `json:"rows"`
	} `json:"data"`
}

// Saved is what is stored under a key.
type Saved struct {
	Found bool
	First json.RawMessage
}

// Subject is a subject as it is after the run.
type Subject struct {
	Kind, Ref string
	Log       []LogRow
	View      View // of a fixture
}

// LogRow is one row of a subject's log.
type LogRow struct {
	Seq      int64           `json:"seq"`
	Sender   string          `json:"sender"`
	Actor    string          `json:"actor"`
	Key      string          `json:"key"`
	Workflow string          `json:"workflow"`
	Code     string          `json:"code"`
	Input    json.RawMessage `json:"input"`
}

func (r LogRow) identity() string { return r.Sender + "|" + r.Actor + "|" + r.Key }

// Reader is what one reader of the outbox got, in its order.
type Reader struct {
	Name  string
	Notes []Note
}

// Note is an outbox entry.
type Note struct {
	Kind, Ref      string
	Seq            int64
	Workflow, Code string
}

// Finding is something that cannot be, with the oracle that saw it.
type Finding struct {
	Oracle string
	Text   string
}

// An Oracle judges a history. It returns how many things it looked at, and what it found.
type Oracle struct {
	Name  string
	Says  string // what holds when it finds nothing
	Check func(h *History) (looked int, found []string)
}

// Judge asks the oracles, and reports each one's name, what it looked at and what it found.
func Judge(h *History, oracles []Oracle, report func(o Oracle, looked int, found []string)) []Finding {
	var all []Finding
	for _, o := range oracles {
		looked, found := o.Check(h)
		report(o, looked, found)
		for _, text := range found {
			all = append(all, Finding{o.Name, text})
		}
	}
	return all
}

// Oracles are all there are. A family whose search for an order takes longer than patience counts as not decided.
func Oracles(patience time.Duration) []Oracle {
	return []Oracle{
		{"answered", "every command that was sent got an answer in the end", answered},
		{"no_fault", "no answer says that the server itself is at fault", noFault},
		{"stored_once", "what was acknowledged is stored once, and what was not is not", storedOnce},
		{"nobody_else", "nothing is stored that nobody sent", nobodyElse},
		{"same_answer", "every answer under one key is the first one", sameAnswer},
		{"gapless", "every subject's log is 1, 2, 3 without a gap", gapless},
		{"readers", "every reader got every note once, each subject's in its order, all readers in one order", readersComplete},
		{"folds", "replayed in the database, every subject is what is shown, and every invariant holds", foldsEqual},
		{"score", "replayed here, every match is what is shown", scoresEqual},
		{"linearizable", "there is an order of the commands in which every answer and every view is right", func(h *History) (int, []string) {
			return linearizable(h, patience)
		}},
	}
}

func (s Subject) name() string { return s.Kind + "/" + s.Ref }

func join(parts ...string) string { return strings.Join(parts, ": ") }
