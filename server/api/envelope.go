package api

import (
	"encoding/json"
	"time"
)

// envelope is what every command's body has, whatever its workflow.
type envelope struct {
	Key    string          `json:"key"`
	Code   string          `json:"code"`
	Input  json.RawMessage `json:"input"`
	Actor  string          `json:"actor"`
	Saw    json.RawMessage `json:"saw"`
	SentAt string          `json:"sent_at"`
}

// envelopeSchema is the part of a command's body that is the same for all; the OpenAPI document has it too. The key is
// required, but may come in a header.
const envelopeSchema = `{
	"type": "object",
	"additionalProperties": false,
	"required": ["code", "input"],
	"properties": {
		"key": ` + keySchema + `,
		"code": {"type": "string"},
		"input": {"type": "object"},
		"actor": ` + actorSchema + `,
		"saw": ` + sawSchema + `,
		"sent_at": ` + sentAtSchema + `
	}
}`

const (
	keySchema    = `{"type": "string", "minLength": 1, "maxLength": 200, "format": "printable", "description": "Made once by the sender and sent again unchanged with every retry. May come in the header Idempotency-Key instead; where both are given they are the same."}`
	actorSchema  = `{"type": "string", "minLength": 1, "maxLength": 200, "format": "printable", "description": "The person or player the command is sent for; left out when the sender acts for itself. Keys are told apart by sender and actor."}`
	sentAtSchema = `{"type": "string", "format": "date-time", "description": "When the sender sent it, by its own clock. Stored, never compared, and not part of what makes two commands the same."}`
	sawSchema    = `{
		"type": "object",
		"additionalProperties": false,
		"description": "What the sender saw when it decided. Not part of what makes two commands the same.",
		"properties": {
			"play": {"type": ["integer", "null"], "minimum": 1, "description": "The last play it saw (last_play of the state); null when it saw none."},
			"rows": {
				"type": "object",
				"maxProperties": 1000,
				"propertyNames": {"maxLength": 300},
				"additionalProperties": {"type": ["integer", "null"], "minimum": 1},
				"description": "The changed_seq it saw of each row that the command changes, by the row's name; null for a row it saw none of."
			},
			"revision": {"type": "string", "minLength": 1, "maxLength": 100, "description": "The revision of the subject it saw (revision of the state, which is its ETag too). May come in the header If-Match instead."}
		}
	}`
)

// sentAt reads the time that the schema has let pass.
func (e envelope) sentAt() *time.Time {
	if e.SentAt == "" {
		return nil
	}
	moment, err := parseDateTime(e.SentAt)
	if err != nil {
		return nil
	}
	return &moment
}
