package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"umpire/server/road"
)

// answerBody is the one body, read loosely: which members are there is what is asserted.
type answerBody struct {
	Outcome  road.Outcome       `json:"outcome"`
	Key      *string            `json:"key"`
	Workflow *string            `json:"workflow"`
	Code     *string            `json:"code"`
	Subject  map[string]*string `json:"subject"`
	Seq      int64              `json:"seq"`
	Result   map[string]any     `json:"result"`
	First    json.RawMessage    `json:"first"`
	Changed  []map[string]any   `json:"changed"`
	Retry    *int64             `json:"retry_after_ms"`
	Reason   *struct {
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Detail  map[string]any `json:"detail"`
		Errors  []fault        `json:"errors"`
	} `json:"reason"`
}

// assertAnswer asserts that a response has the one body, whatever its status, and returns it.
func assertAnswer(t *testing.T, r reply, status int, outcome road.Outcome, code string) answerBody {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %s", r.status, status, r.body)
	}
	if r.header.Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", r.header.Get("Content-Type"))
	}
	if r.header.Get("X-Request-Id") == "" {
		t.Error("no request id")
	}
	var members map[string]json.RawMessage
	var body answerBody
	if err := json.Unmarshal(r.body, &members); err != nil {
		t.Fatalf("not JSON: %v: %s", err, r.body)
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatalf("not the one body: %v: %s", err, r.body)
	}
	want := map[road.Outcome][]string{
		road.Accepted:  {"seq", "result"},
		road.Duplicate: {"first"},
		road.Refused:   {"reason"},
		road.Conflict:  {"reason", "changed"},
		road.TryAgain:  {"reason", "retry_after_ms"},
	}[outcome]
	all := append([]string{"outcome", "key", "workflow", "code", "subject"}, want...)
	for _, name := range all {
		if _, there := members[name]; !there {
			t.Errorf("no %s: %s", name, r.body)
		}
	}
	for name := range members {
		if !slices.Contains(all, name) {
			t.Errorf("%s has no place in a %s answer: %s", name, outcome, r.body)
		}
	}
	for _, name := range []string{"kind", "id", "ref"} {
		if _, there := body.Subject[name]; !there {
			t.Errorf("no subject.%s: %s", name, r.body)
		}
	}
	if body.Outcome != outcome {
		t.Errorf("outcome %s, want %s: %s", body.Outcome, outcome, r.body)
	}
	if body.Reason != nil {
		if body.Reason.Code != code {
			t.Errorf("reason %q, want %q: %s", body.Reason.Code, code, r.body)
		}
		if body.Reason.Message == "" || body.Reason.Detail == nil {
			t.Errorf("a reason has a message and a detail: %s", r.body)
		}
	}
	if (outcome == road.TryAgain) != (r.header.Get("Retry-After") != "") {
		t.Errorf("Retry-After %q with %s", r.header.Get("Retry-After"), outcome)
	}
	if (outcome == road.Duplicate) != (r.header.Get("Idempotent-Replayed") == "true") {
		t.Errorf("Idempotent-Replayed %q with %s", r.header.Get("Idempotent-Replayed"), outcome)
	}
	if (status == http.StatusUnauthorized) != (r.header.Get("WWW-Authenticate") != "") {
		t.Errorf("WWW-Authenticate %q with %d", r.header.Get("WWW-Authenticate"), status)
	}
	return body
}

// assertProblem asserts RFC 9457.
func assertProblem(t *testing.T, r reply, status int, code string) problem {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %s", r.status, status, r.body)
	}
	if r.header.Get("Content-Type") != problemType {
		t.Errorf("content type %q: %s", r.header.Get("Content-Type"), r.body)
	}
	var p problem
	if err := json.Unmarshal(r.body, &p); err != nil {
		t.Fatalf("not JSON: %v: %s", err, r.body)
	}
	if p.Code != code || p.Status != status || p.Title == "" || p.Type == "" || p.Detail == "" {
		t.Errorf("not the problem %s: %s", code, r.body)
	}
	return p
}
