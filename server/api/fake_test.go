package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"umpire/server/road"
	"umpire/tests/harness"
)

// fake is an engine without a database. It notes what it was asked and answers what it was told to.
type fake struct {
	mu       sync.Mutex
	got      []road.Command
	answer   func(road.Command) road.Answer
	senders  map[string]road.Sender
	down     error // of Authenticate
	read     func(kind, ref, view, cursor string, limit int) (json.RawMessage, error)
	saved    func(sender, key, actor string) (json.RawMessage, error)
	notReady error
}

func (f *fake) Execute(_ context.Context, c road.Command) road.Answer {
	f.mu.Lock()
	f.got = append(f.got, c)
	f.mu.Unlock()
	if f.answer != nil {
		return f.answer(c)
	}
	return road.Answer{Outcome: road.Accepted, Body: oneBody(c, `"outcome":"accepted","seq":1,"result":{}`)}
}

func (f *fake) Authenticate(_ context.Context, token string) (road.Sender, error) {
	if f.down != nil {
		return road.Sender{}, f.down
	}
	if s, ok := f.senders[token]; ok {
		return s, nil
	}
	return road.Sender{}, road.ErrUnknownSender
}

func (f *fake) Read(_ context.Context, _, kind, ref, view, cursor string, limit int) (json.RawMessage, error) {
	return f.read(kind, ref, view, cursor, limit)
}

func (f *fake) SavedCommand(_ context.Context, sender, key, actor string) (json.RawMessage, error) {
	return f.saved(sender, key, actor)
}

func (f *fake) Ready(context.Context) error { return f.notReady }

func (f *fake) commands() []road.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]road.Command(nil), f.got...)
}

// oneBody is an answer as the engine writes it.
func oneBody(c road.Command, more string) json.RawMessage {
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return json.RawMessage(`{"key":` + text(c.Key) + `,"workflow":` + text(c.Workflow) + `,"code":` + text(c.Code) +
		`,"subject":{"kind":` + text(c.Kind) + `,"id":null,"ref":` + text(c.Ref) + `},` + more + `}`)
}

const (
	goodToken  = "umt_good"
	limited    = "umt_limited"
	testerPath = "/workflows/chess/subjects/board/b1/commands"
)

func testSenders() map[string]road.Sender {
	return map[string]road.Sender{
		goodToken: {Name: "tester", MayAct: true, MayReadLog: true, TokenSHA256: []byte("hash")},
		limited:   {Name: "limited", Workflows: []string{"other"}, Events: []string{"e1"}, MayReadLog: true},
		"umt_low": {Name: "low"},
	}
}

// testCatalogue has every kind of schema that matters here, and no sport.
func testCatalogue() *road.Catalogue {
	return &road.Catalogue{
		CodeHash:  strings.Repeat("0", 64),
		Kinds:     []road.Kind{{Kind: "board", LockRank: 10, Summary: "A board."}},
		Workflows: []road.Workflow{{Workflow: "chess", Summary: "Moves."}, {Workflow: "other", Summary: "Nothing yet."}},
		Commands: []road.CatalogueCommand{
			{
				Workflow: "chess", Code: "move", Kind: "board", Level: "play", KeyTTL: 30 * 24 * time.Hour, LogInput: "full",
				InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["from","to"],
					"properties":{"from":{"$ref":"#/$defs/square"},"to":{"$ref":"#/$defs/square"},
						"ms":{"type":"integer","minimum":0,"maximum":600000},"note":{"type":["string","null"],"minLength":1,"maxLength":20},
						"kind":{"enum":["normal","castle"],"default":"normal"},"share":{"type":"number","multipleOf":0.5},
						"on":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},"id":{"type":"string","format":"uuid"},
						"name":{"type":"string","not":{"format":"uuid"}},"list":{"type":"array","maxItems":3,"uniqueItems":true,"items":{"type":"integer"}},
						"free":{"type":"object"},"flag":{"type":"boolean"},"either":{"anyOf":[{"type":"string"},{"type":"null"}]},
						"map":{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{"const":1}}},
					"dependentRequired":{"at":["on"]},
					"$defs":{"square":{"type":"string","pattern":"^[a-h][1-8]$","description":"A square."}}}`),
				Example:  json.RawMessage(`{"from":"e2","to":"e4","ms":1200}`),
				Refusals: json.RawMessage(`{"not_legal":"The piece | cannot move there.","not_your_turn":"It is the other side's turn."}`),
				Summary:  "Moves a piece.",
			},
			{
				Workflow: "chess", Code: "open", Kind: "board", Level: "none", Creates: true, KeyTTL: time.Hour, LogInput: "none",
				InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"}}}`),
				Example:     json.RawMessage(`{"name":"Final"}`), Refusals: json.RawMessage(`{}`), Summary: "Opens a board.",
			},
			{
				Workflow: "chess", Code: "rename", Kind: "board", Level: "rows", KeyTTL: 24 * time.Hour, LogInput: "full",
				InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`),
				Example:     json.RawMessage(`{"name":"Final"}`), Refusals: json.RawMessage(`{}`), Summary: "Renames a board.",
			},
			{
				Workflow: "chess", Code: "restore", Kind: "board", Level: "revision", KeyTTL: 24 * time.Hour, LogInput: "full",
				InputSchema: json.RawMessage(`{"type":"object","required":["position"],"properties":{"position":{"type":"string"}}}`),
				Example:     json.RawMessage(`{"position":"start"}`), Refusals: json.RawMessage(`{}`), Summary: "Puts a position on a board.",
			},
		},
		Views: []road.CatalogueView{
			{Kind: "board", View: "log", Paged: true, Open: false, Summary: "Every command."},
			{Kind: "board", View: "moves", Paged: true, Open: true, Summary: "Its moves."},
			{Kind: "board", View: "state", Open: true, Summary: "The board."},
		},
	}
}

// server is an API over a fake engine, and what it logged.
type server struct {
	*httptest.Server
	engine *fake
	api    *API
	logged *harness.Log
}

func newServer(t *testing.T, change func(*Options)) *server {
	t.Helper()
	s := &server{engine: &fake{senders: testSenders()}, logged: &harness.Log{}}
	o := Options{
		Engine: s.engine, Catalogue: testCatalogue(), Log: slog.New(slog.NewJSONHandler(s.logged, nil)),
		Version: Version{Version: "1.2.3", CodeHash: "abc", Migration: 3, Durable: true, Postgres: "15.8"},
	}
	if change != nil {
		change(&o)
	}
	api, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.api = api
	s.Server = httptest.NewServer(api)
	t.Cleanup(s.Close)
	return s
}

// reply is a response that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send makes a request; header is name, value, name, value, ...
func send(t *testing.T, base, method, path string, body io.Reader, header ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: response.StatusCode, header: response.Header, body: content}
}

// post sends a body to the test catalogue's board as a sender that may do everything.
func (s *server) post(t *testing.T, body string, header ...string) reply {
	t.Helper()
	return send(t, s.URL, http.MethodPost, testerPath, strings.NewReader(body),
		append([]string{"Content-Type", "application/json", "Authorization", "Bearer " + goodToken}, header...)...)
}

func (s *server) get(t *testing.T, path string, header ...string) reply {
	t.Helper()
	return send(t, s.URL, http.MethodGet, path, nil, header...)
}
