package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// feedSchemas are the components of the stream and of the consumers.
func feedSchemas() map[string]string {
	return map[string]string{
		"Position": `{"type": "string", "description": "A place in the order of all notes, with the cluster it belongs to. Opaque: keep it and give it back."}`,
		"Note": `{"type": "object", "required": ["subject", "event", "seq", "at", "workflow", "code", "note"], "properties": {
			"position": {"$ref": "#/components/schemas/Position"},
			"subject": {"$ref": "#/components/schemas/Subject"},
			"event": {"type": "string", "description": "Reference of the event that the subject belongs to, or is."},
			"seq": {"type": "integer", "minimum": 1, "description": "The subject's log number: a note that comes twice has the same."},
			"at": {"type": "string", "format": "date-time"},
			"workflow": {"type": "string"},
			"code": {"type": "string"},
			"note": {"type": "object", "description": "What everybody may see of the change."}}}`,
		"Consumer": `{"type": "object", "required": ["consumer", "sender", "position", "state", "lag_s", "max_lag_s", "created_at", "acknowledged_at", "expired_at"], "properties": {
			"consumer": {"type": "string"},
			"sender": {"type": "string"},
			"position": {"$ref": "#/components/schemas/Position"},
			"state": {"enum": ["live", "expired", "needs_rebase"]},
			"lag_s": {"type": "number", "description": "Age of its oldest unread note."},
			"max_lag_s": {"type": "integer", "description": "With a greater lag it is marked expired, and notes are no longer kept for it."},
			"created_at": {"type": "string", "format": "date-time"},
			"acknowledged_at": {"type": "string", "format": "date-time"},
			"expired_at": {"type": ["string", "null"], "format": "date-time"}}}`,
		"ConsumerList": `{"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Consumer"}}}}`,
		"ConsumerPage": `{"type": "object", "required": ["consumer", "after", "next", "more", "items"], "properties": {
			"consumer": {"type": "string"},
			"after": {"$ref": "#/components/schemas/Position"},
			"next": {"type": ["string", "null"], "description": "What to acknowledge once all items are safe; null: nothing new. It may be there without items: they were not for this sender."},
			"more": {"type": "boolean", "description": "Ask again at once."},
			"items": {"type": "array", "items": {"$ref": "#/components/schemas/Note"}}}}`,
		"ConsumerBegin": `{"type": "object", "additionalProperties": false, "properties": {
			"from": {"enum": ["now", "start"], "default": "now", "description": "start: with the oldest note that is kept."},
			"max_lag_s": {"type": "integer", "minimum": 60, "maximum": 2592000, "default": 604800}}}`,
		"ConsumerMove": `{"type": "object", "additionalProperties": false, "required": ["position"], "properties": {
			"position": {"type": "string", "minLength": 1, "maxLength": 100, "description": "A note's position or a page's next; for a rewind also start."}}}`,
		"Dropped": `{"type": "object", "required": ["dropped"], "properties": {"dropped": {"const": true}}}`,
	}
}

// feeds adds the live stream and the consumers.
func (d *documenter) feeds() {
	d.tag("notes", "The live stream: every change as it happens, in one order.")
	d.tag("consumers", "Durable readers of notes, for senders that may read logs: the server keeps the position, and keeps the notes until they are acknowledged.")
	query := func(name, description string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: description, Schema: raw(map[string]any{"type": "string"})}
	}
	d.api.AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: "/notes", OperationID: "notes", Tags: []string{"notes"},
		Summary: "Follow what happens (server-sent events)",
		Description: "Frames: `hello` (where the stream begins), `note` (one change; its `id` is the position after it), `reload` (the position could not be served: " +
			"read the state again; the stream goes on from the position in the frame), `bye` (come back after `retry_ms`). Only notes have an `id`; comments keep the connection alive. " +
			"Begin with the `position` of a read: nothing after it is missed, and a note that the read had already is known by its `seq`. " +
			"Notes of a kind whose state is open to everybody need no token.",
		Parameters: []*huma.Param{
			query("event", "Reference of an event: its own notes and those of all below it. May be there several times, as may the next two; 100 in all."),
			query("fixture", "A fixture's reference or uuid."), query("kind", "A kind of subject."),
			query("after", "Where to begin; what comes next when not given."),
			{Name: "Last-Event-ID", In: "header", Description: "Where to begin, as browsers send it when they come back by themselves; counts before `after`.", Schema: raw(map[string]any{"type": "string"})},
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "The stream.", Headers: documentedHeaders(nil), Content: map[string]*huma.MediaType{"text/event-stream": {Schema: raw(map[string]any{"type": "string", "description": "Each note's data is a Note without its position."})}}},
			"400": problemResponse("A parameter is not as it must be.", newProblem(http.StatusBadRequest, reasonBadInput, "there is no such parameter; there are event, fixture, kind and after")),
			"401": unauthorizedResponse(),
			"503": unavailableResponse(),
		},
		Security: []map[string][]string{{}, {"token": {}}},
	})
	name := &huma.Param{Name: "consumer", In: "path", Required: true, Description: "The consumer's name.", Schema: raw(map[string]any{"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$"})}
	add := func(method, path, id, summary, description, answer, body string, parameters ...*huma.Param) {
		op := &huma.Operation{
			Method: method, Path: path, OperationID: "consumer." + id, Tags: []string{"consumers"}, Summary: summary, Description: description, Parameters: parameters,
			Responses: map[string]*huma.Response{
				"200": found("As asked.", answer, nil),
				"400": problemResponse("A parameter is not as it must be.", newProblem(http.StatusBadRequest, reasonBadInput, "A parameter is not as it must be.")),
				"401": unauthorizedResponse(),
				"403": problemResponse("The sender may not read logs.", newProblem(http.StatusForbidden, reasonNotAllowed, "Consumers are for senders that may read logs.")),
				"503": unavailableResponse(),
			},
			Security: []map[string][]string{{"token": {}}},
		}
		if path != "/consumers" {
			op.Responses["404"] = problemResponse("There is no such consumer.", newProblem(http.StatusNotFound, "not_found", "There is no such consumer of this sender."))
			op.Responses["409"] = problemResponse("The position is from another cluster or timeline.", newProblem(http.StatusConflict, reasonNeedsRebase, "An operator moves the consumer with: umpire ops rebase"))
			op.Responses["410"] = problemResponse("The consumer has expired, or the notes were pruned.", newProblem(http.StatusGone, "position_gone", "Rewind it to a position that is still kept, or to start."))
		}
		if body != "" {
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: ref(body)}}}
		}
		d.api.AddOperation(op)
	}
	add(http.MethodGet, "/consumers", "list", "List consumers", "A sender sees its own.", "ConsumerList", "")
	add(http.MethodPut, "/consumers/{consumer}", "create", "Create a consumer", "Twice changes nothing.", "Consumer", "ConsumerBegin", name)
	add(http.MethodGet, "/consumers/{consumer}/notes", "notes", "Read the next notes, or a range again",
		"Moves nothing. Acknowledge `next` when all items are safe; until then the same notes come again.", "ConsumerPage", "", name, parameter("limit"),
		query("after", "Begin here in place of the consumer's own position."), query("until", "End with this position."))
	add(http.MethodPost, "/consumers/{consumer}/acknowledge", "acknowledge", "Acknowledge up to a position", "Moves forward only; twice changes nothing.", "Consumer", "ConsumerMove", name)
	add(http.MethodPost, "/consumers/{consumer}/rewind", "rewind", "Go back to a position, or to start", "Makes an expired consumer live again.", "Consumer", "ConsumerMove", name)
	add(http.MethodDelete, "/consumers/{consumer}", "drop", "Drop a consumer", "Notes are no longer kept for it.", "Dropped", "", name)
}
