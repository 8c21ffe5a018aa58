package road

import (
	"encoding/json"
	"time"
)

// Outcome is one of the five answers a command can get.
type Outcome string

// The five answers.
const (
	Accepted  Outcome = "accepted"
	Duplicate Outcome = "duplicate"
	Refused   Outcome = "refused"
	Conflict  Outcome = "conflict"
	TryAgain  Outcome = "try_again"
)

// Command is what a sender asks for. Input and Saw are strict JSON (package api saw to that).
type Command struct {
	Sender      string
	TokenSHA256 []byte // checked by the database with every command; nil only for callers inside the process
	Workflow    string
	Kind        string
	Ref         string // uuid or reference
	Code        string
	Key         string
	Actor       string // empty: the sender acts for itself
	Input       json.RawMessage
	Saw         json.RawMessage // nil: not stated
	SentAt      *time.Time
}

// Answer is what became of a command. There is always one: no error can take its place.
type Answer struct {
	Outcome    Outcome
	First      Outcome         // of a duplicate: the first answer's outcome
	Reason     string          // reason code; empty when accepted or duplicate
	RetryAfter time.Duration   // of try again
	Body       json.RawMessage // the one body, as clients get it
}
