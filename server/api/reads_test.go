package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"umpire/server/road"
)

func view(seq int, position string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"subject": {"kind": "board", "id": "0b6f2a0e-6a5c-4c9e-9a53-0f9d8f1c2b34", "ref": "b1"}, "seq": %d, "last_play": null, "position": "%s", "view": "state", "data": {"n": 1.50}}`, seq, position))
}

func TestReadETag(t *testing.T) {
	s := newServer(t, nil)
	answer := view(1, "10.0")
	s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) { return answer, nil }
	first := s.get(t, "/subjects/board/b1")
	etag := first.header.Get("ETag")
	if first.status != 200 || string(first.body) != string(answer) || !strings.HasPrefix(etag, `"`) || first.header.Get("Cache-Control") != "no-cache" ||
		first.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %s", first.status, first.header, first.body)
	}
	answer = view(1, "11.0")
	if r := s.get(t, "/subjects/board/b1"); r.header.Get("ETag") != etag || !strings.Contains(string(r.body), `"11.0"`) {
		t.Errorf("the ETag moves with the position: %v %s", r.header, r.body)
	}
	for _, given := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		if r := s.get(t, "/subjects/board/b1", "If-None-Match", given); r.status != 304 || len(r.body) != 0 || r.header.Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d %s", given, r.status, r.body)
		}
	}
	answer = view(2, "12.0")
	if r := s.get(t, "/subjects/board/b1", "If-None-Match", etag); r.status != 200 || r.header.Get("ETag") == etag {
		t.Errorf("a change is not seen: %d %v", r.status, r.header)
	}
	if r := send(t, s.URL, http.MethodHead, "/subjects/board/b1", nil); r.status != 200 || len(r.body) != 0 || r.header.Get("ETag") == "" {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
}

func TestReadParameters(t *testing.T) {
	s := newServer(t, nil)
	var asked string
	s.engine.read = func(kind, ref, view, cursor string, limit int) (json.RawMessage, error) {
		asked = fmt.Sprintf("%s %s %s %q %d", kind, ref, view, cursor, limit)
		return json.RawMessage(`{"position":"1.0","data":{}}`), nil
	}
	for path, want := range map[string]string{
		"/subjects/board/b1":                           `board b1 state "" 100`,
		"/subjects/board/b1/state":                     `board b1 state "" 100`,
		"/subjects/board/b1/moves?limit=500&cursor=YQ": `board b1 moves "YQ" 500`,
		"/subjects/board/b1/moves?limit=1":             `board b1 moves "" 1`,
	} {
		if r := s.get(t, path); r.status != 200 || asked != want {
			t.Errorf("%s: %d, asked %s", path, r.status, asked)
		}
	}
	for _, path := range []string{"?limit=0", "?limit=501", "?limit=-1", "?limit=many", "?limit=1.5", "?limit=99999999999999999999", "?cursor=" + strings.Repeat("a", 1001)} {
		p := assertProblem(t, s.get(t, "/subjects/board/b1/moves"+path), 400, "bad_input")
		if len(p.Errors) != 1 || !strings.HasPrefix(p.Errors[0].Path, "/query/") || p.Errors[0].Message == "" {
			t.Errorf("%s: %+v", path, p.Errors)
		}
	}
	asked = ""
	for _, path := range []string{"/subjects/table/b1", "/subjects/board/b1/nothing", "/subjects/board/%00", "/subjects/board/%ff", "/subjects/board/a%2fb", "/subjects/board"} {
		assertProblem(t, s.get(t, path), 404, "not_found")
	}
	assertProblem(t, send(t, s.URL, "DELETE", "/subjects/board/b1", nil), 405, "method_not_allowed")
	if asked != "" {
		t.Errorf("the database was asked: %s", asked)
	}
}

func TestReadErrors(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{fmt.Errorf("reading: %w", road.ErrNotFound), 404, "not_found"},
		{&road.BadArgumentError{Message: "The cursor is not one that this view gave."}, 400, "bad_input"},
		{fmt.Errorf("reading: %w", &road.UnavailableError{Reason: "busy", RetryAfter: 1100 * time.Millisecond}), 503, "busy"},
		{&road.DatabaseError{SQLState: "XX000", Where: "secret"}, 500, "internal_error"},
		{errors.New("secret"), 500, "internal_error"},
	} {
		s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) { return nil, c.err }
		r := s.get(t, "/subjects/board/b1")
		assertProblem(t, r, c.status, c.code)
		if strings.Contains(string(r.body), "secret") || (c.status == 503) != (r.header.Get("Retry-After") == "2") {
			t.Errorf("%v: %v %s", c.err, r.header, r.body)
		}
	}
}

func TestClosedViews(t *testing.T) {
	s := newServer(t, nil)
	s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) { return view(1, "1.0"), nil }
	bearer := func(token string) []string { return []string{"Authorization", "Bearer " + token} }
	assertProblem(t, s.get(t, "/subjects/board/b1/log"), 401, "sender_unknown")
	assertProblem(t, s.get(t, "/subjects/board/b1/log", bearer("umt_wrong")...), 401, "sender_unknown")
	assertProblem(t, s.get(t, "/subjects/board/b1/log", bearer("umt_low")...), 403, "not_allowed")
	r := s.get(t, "/subjects/board/b1/log", bearer(goodToken)...)
	if r.status != 200 || r.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%d %v", r.status, r.header)
	}
	if r := s.get(t, "/subjects/board/b1/log"); r.header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 asks for nothing")
	}
	s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) { return nil, road.ErrNotAllowed }
	assertProblem(t, s.get(t, "/subjects/board/b1/log", bearer(limited)...), 403, "not_allowed")
	s.engine.down = &road.UnavailableError{Reason: "not_sent", RetryAfter: time.Second}
	if r := s.get(t, "/subjects/board/b1/log", bearer(goodToken)...); r.header.Get("Retry-After") != "1" {
		t.Errorf("%v", r.header)
	} else {
		assertProblem(t, r, 503, "not_sent")
	}
}

func TestSaved(t *testing.T) {
	s := newServer(t, nil)
	stored := json.RawMessage(`{"outcome": "accepted", "first": {"n": 1.50}}`)
	s.engine.saved = func(sender, key, actor string) (json.RawMessage, error) {
		if sender == "tester" && key == "run/1: a" && actor == "ann" {
			return stored, nil
		}
		return nil, road.ErrNotFound
	}
	token := []string{"Authorization", "Bearer " + goodToken}
	if r := s.get(t, "/commands/run%2F1:%20a?actor=ann", token...); r.status != 200 || string(r.body) != string(stored) || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	assertProblem(t, s.get(t, "/commands/run%2F1:%20a", token...), 404, "not_saved")
	assertProblem(t, s.get(t, "/commands/a%00b", token...), 404, "not_saved")
	assertProblem(t, s.get(t, "/commands/a?actor=%ff", token...), 404, "not_saved")
	if p := assertProblem(t, s.get(t, "/commands/other", token...), 404, "not_saved"); !strings.Contains(p.Detail, "send it again, under the same key") {
		t.Errorf("%s", p.Detail)
	}
	assertProblem(t, s.get(t, "/commands/run%2F1:%20a?actor=ann", "Authorization", "Bearer umt_low"), 404, "not_saved")
	assertProblem(t, s.get(t, "/commands/other"), 401, "sender_unknown")
	s.engine.saved = func(string, string, string) (json.RawMessage, error) {
		return nil, &road.UnavailableError{Reason: "busy"}
	}
	assertProblem(t, s.get(t, "/commands/other", token...), 503, "busy")
}

func TestHealth(t *testing.T) {
	s := newServer(t, nil)
	for _, path := range []string{"/health", "/ready"} {
		if r := s.get(t, path); r.status != 200 || strings.TrimSpace(string(r.body)) != `{"status":"ok"}` {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := s.get(t, "/version"); strings.TrimSpace(string(r.body)) != `{"version":"1.2.3","code_hash":"abc","migration":3,"durable":true,"postgres":"15.8"}` {
		t.Errorf("%s", r.body)
	}
	s.engine.notReady = errors.New("password=secret")
	if r := s.get(t, "/ready"); strings.Contains(string(r.body), "secret") {
		t.Errorf("%s", r.body)
	} else {
		assertProblem(t, r, 503, "not_ready")
	}
	s.engine.notReady = nil
	s.api.Stop()
	assertProblem(t, s.get(t, "/ready"), 503, "stopping")
	if r := s.get(t, "/health"); r.status != 200 {
		t.Errorf("/health while stopping: %d", r.status)
	}
}

func TestCrossOrigin(t *testing.T) {
	off := newServer(t, nil)
	if r := off.get(t, "/health", "Origin", "https://a.example"); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("on by default: %v", r.header)
	}
	on := newServer(t, func(o *Options) { o.AllowedOrigins = []string{"https://a.example"} })
	r := on.get(t, "/health", "Origin", "https://a.example")
	if r.header.Get("Access-Control-Allow-Origin") != "https://a.example" {
		t.Errorf("%v", r.header)
	}
	for _, name := range []string{"Etag", "Retry-After", "Idempotent-Replayed", "X-Request-Id"} {
		if !strings.Contains(strings.ToLower(r.header.Get("Access-Control-Expose-Headers")), strings.ToLower(name)) {
			t.Errorf("%s is not exposed: %v", name, r.header)
		}
	}
	if r := on.get(t, "/health", "Origin", "https://b.example"); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %v", r.header)
	}
	r = send(t, on.URL, http.MethodOptions, testerPath, nil, "Origin", "https://a.example", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
	if r.status != 204 || r.header.Get("Access-Control-Allow-Methods") != "POST" || r.header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("preflight: %d %v", r.status, r.header)
	}
}
