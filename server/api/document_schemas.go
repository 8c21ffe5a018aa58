package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// sharedSchemas are the components that do not come from the catalogue.
func sharedSchemas() map[string]string {
	const head = `
		"key": {"type": "string", "description": "The command's key."},
		"workflow": {"type": "string"},
		"code": {"type": "string"},
		"subject": {"$ref": "#/components/schemas/Subject"}`
	const unknownHead = `
		"key": {"type": ["string", "null"], "description": "The command's key, where it could be read."},
		"workflow": {"type": ["string", "null"]},
		"code": {"type": ["string", "null"]},
		"subject": {"$ref": "#/components/schemas/Subject"}`

	return map[string]string{
		"Key":    keySchema,
		"Actor":  actorSchema,
		"SentAt": sentAtSchema,
		"Saw":    sawSchema,
		"SawPlay": `{"allOf": [{"$ref": "#/components/schemas/Saw"}, {"required": ["play"]}],
			"description": "The last play the sender saw; null when it saw none."}`,
		"SawRows": `{"allOf": [{"$ref": "#/components/schemas/Saw"}, {"required": ["rows"]}],
			"description": "The changed_seq the sender saw of each row that the command changes; null for a row it saw none of."}`,
		"SawRevision": `{"allOf": [{"$ref": "#/components/schemas/Saw"}],
			"description": "The revision the sender saw; required unless the header If-Match has it."}`,
		"Subject": `{"type": "object", "required": ["kind", "id", "ref"], "properties": {
			"kind": {"type": ["string", "null"]},
			"id": {"type": ["string", "null"], "format": "uuid", "description": "null while it is not known."},
			"ref": {"type": ["string", "null"], "description": "The reference it was created under."}}}`,
		"Fault": `{"type": "object", "required": ["path", "message"], "properties": {
			"path": {"type": "string", "description": "JSON pointer to what is wrong."},
			"message": {"type": "string", "description": "What is allowed there; never what was sent."}}}`,
		"Reason": `{"type": "object", "required": ["code", "message", "detail"], "properties": {
			"code": {"type": "string", "description": "For programs."},
			"message": {"type": "string", "description": "For people."},
			"detail": {"type": "object"},
			"errors": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}, "description": "With bad_input: what is wrong, at most 20."}}}`,
		"Accepted": `{"type": "object", "required": ["outcome", "key", "workflow", "code", "subject", "seq", "result"], "properties": {
			"outcome": {"const": "accepted"},` + head + `,
			"seq": {"type": "integer", "minimum": 1, "description": "The command's number in the subject's log."},
			"result": {"type": "object", "description": "What the command gives back."},
			"secret": {"type": "object", "description": "What is shown this once and stored nowhere: keep it."},
			"secret_shown": {"const": true, "description": "The command gave a secret with its first answer."}}}`,
		"Duplicate": `{"type": "object", "required": ["outcome", "key", "workflow", "code", "subject", "first"], "properties": {
			"outcome": {"const": "duplicate"},` + head + `,
			"first": {"oneOf": [{"$ref": "#/components/schemas/Accepted"}, {"$ref": "#/components/schemas/Refused"}], "description": "The first answer, as it was."}}}`,
		"Refused": `{"type": "object", "required": ["outcome", "key", "workflow", "code", "subject", "reason"], "properties": {
			"outcome": {"const": "refused"},` + unknownHead + `,
			"reason": {"$ref": "#/components/schemas/Reason"}}}`,
		"Conflict": `{"type": "object", "required": ["outcome", "key", "workflow", "code", "subject", "reason", "changed"], "properties": {
			"outcome": {"const": "conflict"},` + head + `,
			"reason": {"$ref": "#/components/schemas/Reason"},
			"changed": {"type": "array", "description": "The rows or plays as they are now.", "items": {"type": "object", "required": ["row_id", "changed_seq", "value"], "properties": {
				"row_id": {"type": "string"},
				"changed_seq": {"type": ["integer", "null"], "description": "null: it is not there."},
				"value": {"description": "As a screen shows it."}}}}}}`,
		"TryAgain": `{"type": "object", "required": ["outcome", "key", "workflow", "code", "subject", "reason", "retry_after_ms"], "properties": {
			"outcome": {"const": "try_again"},` + unknownHead + `,
			"reason": {"$ref": "#/components/schemas/Reason"},
			"retry_after_ms": {"type": "integer", "minimum": 0, "description": "The least delay; the header Retry-After says the same in whole seconds."}}}`,
		"Problem": `{"type": "object", "required": ["type", "title", "status", "detail", "code"], "description": "RFC 9457.", "properties": {
			"type": {"type": "string"},
			"title": {"type": "string"},
			"status": {"type": "integer"},
			"detail": {"type": "string", "description": "For people."},
			"code": {"type": "string", "description": "For programs."},
			"errors": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}}}`,
		"View": `{"type": "object", "required": ["subject", "seq", "revision", "last_play", "position", "view", "data"], "properties": {
			"subject": {"$ref": "#/components/schemas/Subject"},
			"seq": {"type": "integer", "minimum": 0, "description": "Number of the subject's last log entry."},
			"revision": {"type": "string", "description": "Another one after every change of the subject; the state's ETag. What a command of level revision states in saw.revision or If-Match."},
			"last_play": {"type": ["integer", "null"], "description": "What a command of level play states in saw.play."},
			"position": {"type": "string", "description": "The feed position of this snapshot: a stream that goes on from here misses nothing. Not part of the ETag."},
			"view": {"type": "string"},
			"data": {"type": "object"}}}`,
		"Page": `{"allOf": [{"$ref": "#/components/schemas/View"}, {"type": "object", "properties": {"data": {"type": "object", "required": ["items", "next"], "properties": {
			"items": {"type": "array"},
			"next": {"type": ["string", "null"], "description": "The cursor of the next page; null after the last item."}}}}}]}`,
		"Saved": `{"type": "object", "required": ["outcome", "received_at", "finished_at", "expires_at", "first"], "properties": {
			"outcome": {"enum": ["accepted", "refused"]},
			"received_at": {"type": "string", "format": "date-time"},
			"finished_at": {"type": "string", "format": "date-time"},
			"expires_at": {"type": "string", "format": "date-time", "description": "Until when the key is remembered."},
			"first": {"oneOf": [{"$ref": "#/components/schemas/Accepted"}, {"$ref": "#/components/schemas/Refused"}], "description": "The answer, as it was given."}}}`,
		"Health": `{"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}}`,
		"Version": `{"type": "object", "required": ["version", "code_hash", "migration", "durable", "postgres"], "properties": {
			"version": {"type": "string", "description": "Of the build."},
			"code_hash": {"type": "string", "description": "Of the functions package that the server carries."},
			"migration": {"type": "integer", "description": "The newest one that is applied."},
			"durable": {"type": "boolean", "description": "false: a throwaway database, gone with the server."},
			"postgres": {"type": "string"}}}`,
		"Listing": `{"type": "object", "required": ["workflows", "kinds", "reasons"], "properties": {
			"workflows": {"type": "array", "items": {"type": "object"}, "description": "Each with its commands: level, input schema, example, refusals."},
			"kinds": {"type": "array", "items": {"type": "object"}, "description": "Each with its views."},
			"reasons": {"type": "array", "items": {"type": "object"}, "description": "The engine's own."}}}`,
	}
}

// parameters are those that many operations share.
func parameters() map[string]*huma.Param {
	text := func(source string) *huma.Schema {
		var parts map[string]any
		if err := json.Unmarshal([]byte(source), &parts); err != nil {
			panic(err) // a constant of this file
		}
		return raw(parts)
	}
	return map[string]*huma.Param{
		"ref": {Name: "ref", In: "path", Required: true, Description: "The subject's uuid, or the reference it was created under.",
			Schema: text(`{"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"}`)},
		"idempotency-key": {Name: keyHeader, In: "header", Description: "The key, where it is not in the body.",
			Schema: text(`{"type": "string", "minLength": 1, "maxLength": 200}`)},
		"if-match": {Name: matchHeader, In: "header", Description: "For commands of level revision: the ETag of the state that was seen.",
			Schema: text(`{"type": "string"}`)},
		"cursor": {Name: "cursor", In: "query", Description: "data.next of the page before.", Schema: text(`{"type": "string"}`)},
		"limit":  {Name: "limit", In: "query", Description: "How many items.", Schema: text(`{"type": "integer", "minimum": 1, "maximum": 500, "default": 100}`)},
		"if-none-match": {Name: "If-None-Match", In: "header", Description: "An ETag: answered 304 while nothing has changed.",
			Schema: text(`{"type": "string"}`)},
	}
}
