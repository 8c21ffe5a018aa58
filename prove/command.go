package prove

import (
	"encoding/json"
	"fmt"

	"umpire/client"
)

// Command is a command with the name of its sender.
type Command struct {
	Sender string
	client.Command
}

// identity is the key in its scope.
func (c Command) identity() string { return c.Sender + "|" + c.Actor + "|" + c.Key }

// payload is what makes two commands under one key the same (docs/contract.md): not what was seen, nor when.
func (c Command) payload() string {
	text, err := json.Marshal([]any{c.Workflow, c.Code, c.Kind, c.Ref, c.Input})
	if err != nil {
		panic(fmt.Sprintf("a command's input is not JSON: %v", err)) // only this package makes inputs
	}
	return string(text)
}

func (c Command) String() string {
	input, _ := json.Marshal(c.Input)
	saw, _ := json.Marshal(c.Saw)
	return fmt.Sprintf("%s.%s %s/%s key %s of %s input %s saw %s", c.Workflow, c.Code, c.Kind, c.Ref, c.Key, c.identity(), input, saw)
}

// Saw is what the sender states as seen. A nil *Saw states nothing.
type Saw struct {
	Play *int64
	Row  string // set: the one row below rows, else play
	Seq  *int64
}

// MarshalJSON writes it as the contract wants it.
func (s Saw) MarshalJSON() ([]byte, error) {
	if s.Row != "" {
		return json.Marshal(map[string]any{"rows": map[string]any{s.Row: s.Seq}})
	}
	return json.Marshal(map[string]any{"play": s.Play})
}

// FixtureInput is the input of event.fixture_put.
type FixtureInput struct {
	Fixture  string          `json:"fixture"`
	Sport    string          `json:"sport"`
	Home     string          `json:"home"`
	Away     string          `json:"away"`
	StartsAt *string         `json:"starts_at,omitempty"`
	Venue    string          `json:"venue,omitempty"`
	Settings map[string]bool `json:"settings,omitempty"`
}

// PlayInput is the input of any football play.
type PlayInput struct {
	Period string `json:"period,omitempty"`
	Side   string `json:"side,omitempty"`
	Kind   string `json:"kind,omitempty"`
	Scorer string `json:"scorer,omitempty"`
	Assist string `json:"assist,omitempty"`
	Person string `json:"person,omitempty"`
	Card   string `json:"card,omitempty"`
	Taker  string `json:"taker,omitempty"`
	Minute int    `json:"minute,omitempty"`
	Scored *bool  `json:"scored,omitempty"`
}
