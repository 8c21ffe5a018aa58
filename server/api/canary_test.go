package api

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"umpire/server/road"
)

// Nothing of a body, a token or a query string is ever repeated, neither in an answer nor in the log.
func TestNothingIsEchoed(t *testing.T) {
	const canary = "CANARY-5b1d"
	wrong := map[string]any{
		"from": canary, "to": []any{canary}, "ms": canary, "note": strings.Repeat(canary, 9), "kind": canary, "share": canary,
		"on": canary, "at": canary, "id": canary, "list": []any{canary, canary}, "free": canary, "flag": canary,
		"either": []any{canary}, "map": map[string]any{"a": canary, canary: 1}, canary: canary,
	}
	each := []map[string]any{wrong}
	for name, value := range wrong {
		each = append(each, map[string]any{name: value})
	}
	var bodies []string
	add := func(body map[string]any) {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(text))
	}
	for _, input := range each {
		add(map[string]any{"key": "k", "code": "move", "input": input})
	}
	for _, member := range []string{"code", "input", "saw", "sent_at", canary} {
		body := map[string]any{"key": "k", "code": "move", "input": map[string]any{"from": "e2", "to": "e4"}}
		body[member] = canary
		add(body)
	}
	add(map[string]any{"key": canary + "\n", "code": canary, "input": canary, "actor": canary + "\t", "saw": canary, "sent_at": canary})
	add(map[string]any{"key": "k", "code": "move", "input": map[string]any{}, "actor": canary, "saw": map[string]any{"play": canary, "rows": canary, canary: 1}})
	bodies = append(bodies,
		`{"key":"k","code":"move","input":{"note":"`+canary+`\u0000"}}`,
		`{"key":"k","code":"move","input":{"note":"`+canary+`\ud800"}}`,
		`{"key":"k","code":"move","input":{"note":"`+canary+"\xff\"}}",
		`{"key":"k","code":"move","input":{"note":"`+canary+`"`, canary, `"`+canary+`"`, `["`+canary+`"]`, `{"a":"`+canary+`"} "`+canary+`"`,
		`{"key":"k","code":"move","input":{"ms":1e99,"note":"`+canary+`"}}`,
	)
	s := newServer(t, nil)
	check := func(what string, r reply) {
		t.Helper()
		if r.status < 400 {
			t.Errorf("%s was taken", what)
		}
		if strings.Contains(string(r.body), canary) {
			t.Errorf("%s: the answer repeats it: %s", what, r.body)
		}
		for name, values := range r.header {
			if strings.Contains(strings.Join(values, " "), canary) {
				t.Errorf("%s: the header %s repeats it", what, name)
			}
		}
	}
	for _, body := range bodies {
		check(body, s.post(t, body))
	}
	for _, header := range [][]string{
		{"Content-Type", canary}, {"Content-Encoding", canary}, {"Idempotency-Key", strings.Repeat(canary, 20)}, {"X-Request-Id", canary + " x"},
		{"Authorization", "Bearer " + canary}, {"Authorization", canary},
	} {
		check(strings.Join(header, ": "), send(t, s.URL, http.MethodPost, testerPath, strings.NewReader(goodBody[:20]), header...))
	}
	s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) { return nil, io.ErrUnexpectedEOF }
	s.engine.saved = func(string, string, string) (json.RawMessage, error) { return nil, road.ErrNotFound }
	for _, path := range []string{
		"/subjects/board/b1?limit=" + canary, "/subjects/board/b1?limit=" + canary + "&cursor=" + strings.Repeat(canary, 200),
		"/subjects/board/" + canary + "%20", "/subjects/" + canary + "/b1", "/subjects/board/b1/" + canary, "/" + canary, "/commands/" + canary + "?actor=" + canary,
	} {
		check(path, s.get(t, path, "Authorization", "Bearer "+goodToken))
		check(path+" without token", s.get(t, path, "Authorization", canary))
	}
	if logged := s.logged.String(); strings.Contains(logged, canary) || strings.Contains(logged, goodToken) {
		for line := range strings.Lines(logged) {
			if strings.Contains(line, canary) || strings.Contains(line, goodToken) {
				t.Errorf("the log repeats it: %s", line)
			}
		}
	}
}
