package api

import (
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/road"
)

const (
	exampleKey = "8f14e45f-ceea-467f-a0d5-2f0b1c9d3e77"
	exampleID  = "0b6f2a0e-6a5c-4c9e-9a53-0f9d8f1c2b34"
	exampleRef = "REF"
)

type object = map[string]any

// exampleRequest is a body that is valid for the command.
func exampleRequest(cmd road.CatalogueCommand) (object, error) {
	var given any
	if err := unmarshal(cmd.Example, &given); err != nil {
		return nil, fmt.Errorf("example of %s.%s: %w", cmd.Workflow, cmd.Code, err)
	}
	request := object{"key": exampleKey, "code": cmd.Code, "input": given}
	switch cmd.Level {
	case "play":
		request["saw"] = object{"play": 7}
	case "rows":
		request["saw"] = object{"rows": object{"ROW": nil}}
	case "revision":
		request["saw"] = object{"revision": "0123456789abcdef0123456789abcdef"}
	}
	return request, nil
}

// commandResponses are all statuses of a command's path, each with its body and an example.
func commandResponses(cmd road.CatalogueCommand) (map[string]*huma.Response, error) {
	rule := object{"code": "a_rule", "message": "What the rule says.", "detail": object{}}
	refusals, err := refusalsOf(cmd)
	if err != nil {
		return nil, err
	}
	if codes := slices.Sorted(maps.Keys(refusals)); len(codes) > 0 {
		rule["code"], rule["message"] = codes[0], refusals[codes[0]]
	}

	head := func(outcome road.Outcome, more object) object {
		body := object{"outcome": outcome, "key": exampleKey, "workflow": cmd.Workflow, "code": cmd.Code,
			"subject": object{"kind": cmd.Kind, "id": exampleID, "ref": exampleRef}}
		maps.Copy(body, more)
		return body
	}
	refused := func(code, message string, faults ...fault) object {
		why := object{"code": code, "message": message, "detail": object{}}
		if len(faults) > 0 {
			why["errors"] = faults
		}
		body := head(road.Refused, object{"reason": why})
		body["subject"] = object{"kind": cmd.Kind, "id": nil, "ref": exampleRef}
		return body
	}
	sentence := func(code string) string {
		for _, r := range ownReasons() {
			if r.Code == code {
				return r.Message
			}
		}
		return ""
	}
	tryAgain := func(code string, after int) object {
		return head(road.TryAgain, object{"reason": object{"code": code, "message": sentence(code), "detail": object{}}, "retry_after_ms": after})
	}
	accepted := head(road.Accepted, object{"seq": 8, "result": object{}})
	byRule := head(road.Refused, object{"reason": rule})

	unreadable := refused(reasonBadInput, "The body cannot be read as strict JSON.", fault{Path: "/input", Message: "A member comes twice in one object."})
	unreadable["key"], unreadable["code"] = nil, nil

	answer := func(description string, schemas []string, headers map[string]string, examples map[string]object) *huma.Response {
		shown := map[string]*huma.Example{}
		for name, value := range examples {
			shown[name] = &huma.Example{Value: value}
		}
		return &huma.Response{
			Description: description,
			Headers:     documentedHeaders(headers),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: oneOf(schemas...), Examples: shown}},
		}
	}
	const (
		replayed = "true: this key was answered before and nothing was done now; the body is a duplicate with the first answer."
		wait     = "The least delay in whole seconds; retry_after_ms says it in milliseconds."
	)
	return map[string]*huma.Response{
		"200": answer("Accepted and committed; or a duplicate of a command that was.", []string{"Accepted", "Duplicate"},
			map[string]string{replayedHeader: replayed},
			map[string]object{"accepted": accepted, "duplicate": head(road.Duplicate, object{"first": accepted})}),
		"400": answer("Refused: the body cannot be read as strict JSON.", []string{"Refused"}, nil, map[string]object{"bad_input": unreadable}),
		"401": answer("Refused: no sender has this token.", []string{"Refused"}, map[string]string{"WWW-Authenticate": "Asks for a bearer token."},
			map[string]object{reasonSenderUnknown: refused(reasonSenderUnknown, sentence(reasonSenderUnknown))}),
		"403": answer("Refused: the sender may not use this workflow, touch this subject or send for others.", []string{"Refused"}, nil,
			map[string]object{reasonNotAllowed: refused(reasonNotAllowed, "The sender may not use this workflow.")}),
		"404": answer("Refused: there is no such workflow, code, kind or subject.", []string{"Refused"}, nil, map[string]object{
			reasonSubjectNotFound: refused(reasonSubjectNotFound, sentence(reasonSubjectNotFound)),
			reasonUnknownCommand:  refused(reasonUnknownCommand, sentence(reasonUnknownCommand)),
		}),
		"409": answer("Conflict: what the sender saw has moved on; nothing was done.", []string{"Conflict"}, nil,
			map[string]object{"version_moved": head(road.Conflict, object{
				"reason":  object{"code": "version_moved", "message": sentence("version_moved"), "detail": object{}},
				"changed": []any{object{"row_id": "ROW", "changed_seq": 8, "value": object{}}},
			})}),
		"413": answer("Refused: the body is too long.", []string{"Refused"}, nil,
			map[string]object{reasonTooLarge: refused(reasonTooLarge, sentence(reasonTooLarge))}),
		"415": answer("Refused: the body is not application/json.", []string{"Refused"}, nil,
			map[string]object{reasonUnsupportedMedia: refused(reasonUnsupportedMedia, sentence(reasonUnsupportedMedia))}),
		"422": answer("Refused by a rule or for its form; or a duplicate of a command that a rule refused.", []string{"Refused", "Duplicate"},
			map[string]string{replayedHeader: replayed},
			map[string]object{
				"rule":            byRule,
				"duplicate":       head(road.Duplicate, object{"first": byRule}),
				"bad_input":       refused(reasonBadInput, "The input is not what the command asks for.", fault{Path: "/input", Message: "Has a member that is not allowed."}),
				"key_reused":      refused("key_reused", sentence("key_reused")),
				"version_missing": refused("version_missing", sentence("version_missing")),
			}),
		"500": answer("Try again: the server failed. The failure is recorded; the delay grows with the attempts.", []string{"TryAgain"},
			map[string]string{"Retry-After": wait}, map[string]object{reasonInternal: tryAgain(reasonInternal, 1000)}),
		"503": answer("Try again: nothing was decided, or it is not known what was.", []string{"TryAgain"},
			map[string]string{"Retry-After": wait}, map[string]object{
				"busy":           tryAgain("busy", 500),
				"lock_timeout":   tryAgain("lock_timeout", 500),
				"commit_unknown": tryAgain("commit_unknown", 200),
			}),
	}, nil
}

func documentedHeaders(descriptions map[string]string) map[string]*huma.Header {
	headers := map[string]*huma.Header{
		"X-Request-Id": {Description: "The request's id, the sender's own or one made for it; it is in the server's log.", Schema: &huma.Schema{Type: "string"}},
	}
	for name, description := range descriptions {
		headers[name] = &huma.Header{Description: description, Schema: &huma.Schema{Type: "string"}}
	}
	return headers
}
