package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"umpire/server/road"
	"umpire/tests/harness"
)

// What a command costs on this side of the road: strict reading, envelope, schema, one line of log.
func BenchmarkCommand(b *testing.B) {
	api, err := New(Options{Engine: instant{&fake{senders: testSenders()}}, Catalogue: testCatalogue(), Log: slog.New(slog.NewJSONHandler(&harness.Log{}, nil))})
	if err != nil {
		b.Fatal(err)
	}
	body := `{"key":"8f14e45f-ceea-467f-a0d5-2f0b1c9d3e77","code":"move","input":{"from":"e2","to":"e4","ms":1200,"note":"a line","on":"2022-12-18","free":{"a":[1,2,3,{"b":"c"}],"text":"` +
		strings.Repeat("x", 300) + `"}},"saw":{"play":7}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, testerPath, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+goodToken)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// instant keeps nothing.
type instant struct{ *fake }

func (instant) Execute(context.Context, road.Command) road.Answer {
	return road.Answer{Outcome: road.Accepted, Body: []byte(`{}`)}
}
