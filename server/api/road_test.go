package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"umpire/server/road"
	"umpire/tests/harness"
)

// world is the API over the road over a database of its own, with one event, one fixture and some senders.
type world struct {
	*httptest.Server
	db     *harness.DB
	road   *road.Road
	logged *harness.Log
	token  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{db: harness.New(t), logged: &harness.Log{}}
	var err error
	if w.road, err = road.Open(t.Context(), road.Options{URL: w.db.URL()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.road.Close)
	catalogue, err := w.road.LoadCatalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	api, err := New(Options{Engine: w.road, Catalogue: catalogue, Log: slog.New(slog.NewJSONHandler(w.logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	w.Server = httptest.NewServer(api)
	t.Cleanup(w.Close)
	w.token = w.sender(t, road.NewSender{Name: "desk", MayAct: true, MayReadLog: true})

	assertAnswer(t, w.post(t, "event/subjects/event/cup", `{"key":"e","code":"create","input":{"name":"Cup"}}`), 200, road.Accepted, "")
	assertAnswer(t, w.post(t, "event/subjects/event/cup", `{"key":"f","code":"fixture_put","saw":{"rows":{"fixture/final/schedule":null}},
		"input":{"fixture":"final","sport":"football","home":"A","away":"B"}}`), 200, road.Accepted, "")
	return w
}

// sender adds a sender and returns its token.
func (w *world) sender(t *testing.T, s road.NewSender) string {
	t.Helper()
	token, hash := road.NewToken()
	s.TokenSHA256 = hash
	if err := road.AddSender(t.Context(), w.db.Conn(t), s); err != nil {
		t.Fatal(err)
	}
	return token
}

func (w *world) postAs(t *testing.T, token, subject, body string) reply {
	t.Helper()
	return send(t, w.URL, http.MethodPost, "/workflows/"+subject+"/commands", strings.NewReader(body),
		"Content-Type", "application/json", "Authorization", "Bearer "+token)
}

func (w *world) post(t *testing.T, subject, body string) reply {
	t.Helper()
	return w.postAs(t, w.token, subject, body)
}

func (w *world) get(t *testing.T, path string, header ...string) reply {
	t.Helper()
	return send(t, w.URL, http.MethodGet, path, nil, header...)
}

const (
	final = "football/subjects/fixture/final"
	note  = "fixture/subjects/fixture/final"
)

// The five answers, one after the other, over HTTP and a real Postgres.
func TestFiveAnswers(t *testing.T) {
	w := newWorld(t)
	start := `{"key":"s","code":"period_start","input":{"period":"H1"},"saw":{"play":null}}`

	first := w.post(t, final, start)
	accepted := assertAnswer(t, first, 200, road.Accepted, "")
	if accepted.Seq == 0 || *accepted.Subject["id"] == "" || *accepted.Subject["ref"] != "final" {
		t.Errorf("%s", first.body)
	}

	again := assertAnswer(t, w.post(t, final, start), 200, road.Duplicate, "")
	if string(again.First) != string(first.body) {
		t.Errorf("the first answer changed:\n%s\n%s", first.body, again.First)
	}

	moved := assertAnswer(t, w.post(t, final, `{"key":"g0","code":"goal","input":{"side":"home","minute":3},"saw":{"play":null}}`), 409, road.Conflict, "version_moved")
	if len(moved.Changed) != 1 {
		t.Errorf("%+v", moved.Changed)
	}

	saw := fmt.Sprintf(`"saw":{"play":%d}`, accepted.Seq)
	goal := `{"key":"g1","code":"goal","input":{"side":"home","minute":3,"scorer":"X","assist":"X"},` + saw + `}`
	assertAnswer(t, w.post(t, final, goal), 422, road.Refused, "same_person")
	kept := assertAnswer(t, w.post(t, final, goal), 422, road.Duplicate, "")
	if !strings.Contains(string(kept.First), "same_person") {
		t.Errorf("%s", kept.First)
	}

	holder := w.db.Conn(t)
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `select from road.subject where ref = 'final' for update`); err != nil {
		t.Fatal(err)
	}
	held := `{"key":"g2","code":"goal","input":{"side":"away","minute":4},` + saw + `}`
	assertAnswer(t, w.post(t, final, held), 503, road.TryAgain, "lock_timeout")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertAnswer(t, w.post(t, final, held), 200, road.Accepted, "")
}

func TestRefusedByTheDatabase(t *testing.T) {
	w := newWorld(t)
	assertAnswer(t, w.post(t, "football/subjects/fixture/nothing", `{"key":"a","code":"goal","input":{"side":"home","minute":1},"saw":{"play":null}}`), 404, road.Refused, "subject_not_found")
	assertAnswer(t, w.post(t, final, `{"key":"b","code":"goal","input":{"side":"home","minute":1}}`), 422, road.Refused, "version_missing")
	assertAnswer(t, w.post(t, final, `{"key":"c","code":"goal","input":{"side":"home","minute":1},"saw":{"play":null}}`), 422, road.Refused, "not_running")
	assertAnswer(t, w.post(t, "event/subjects/event/cup", `{"key":"d","code":"create","input":{"name":"Cup"}}`), 422, road.Refused, "exists")
	assertAnswer(t, w.post(t, "event/subjects/event/0b6f2a0e-6a5c-4c9e-9a53-0f9d8f1c2b34", `{"key":"u","code":"create","input":{"name":"Cup"}}`), 422, road.Refused, "bad_input")
	assertAnswer(t, w.post(t, "event/subjects/event/0B6F2A0E-6A5C-4C9E-9A53-0F9D8F1C2B34", `{"key":"v","code":"create","input":{"name":"Cup"}}`), 422, road.Refused, "bad_input")
	limited := w.sender(t, road.NewSender{Name: "limited", Events: []string{"other"}, MayReadLog: true})
	assertAnswer(t, w.postAs(t, limited, note, `{"key":"a","code":"note","input":{"text":"x"}}`), 403, road.Refused, "not_allowed")
	gone := w.sender(t, road.NewSender{Name: "gone"})
	assertAnswer(t, w.postAs(t, gone, note, `{"key":"a","code":"note","input":{"text":"x"}}`), 200, road.Accepted, "")
	if _, err := w.db.Conn(t).Exec(t.Context(), `select road.sender_disable('gone')`); err != nil {
		t.Fatal(err)
	}
	assertAnswer(t, w.postAs(t, gone, note, `{"key":"b","code":"note","input":{"text":"x"}}`), 401, road.Refused, "sender_unknown")
}

// What makes two bodies the same command.
func TestSameCommand(t *testing.T) {
	w := newWorld(t)
	put := func(key, rest string) string {
		return `{"key":"` + key + `","code":"fixture_put","saw":{"rows":{"fixture/f1/schedule":null}},` + rest + `}`
	}
	const event = "event/subjects/event/cup"
	assertAnswer(t, w.post(t, event, put("k", `"input":{"fixture":"f1","sport":"football","home":"A","away":"B","settings":{"extra_time":true,"shootout":false}}`)), 200, road.Accepted, "")
	for name, body := range map[string]string{
		"ID-09 members in another order": put("k", `"input":{"settings":{"shootout":false,"extra_time":true},"away":"B","home":"A","sport":"football","fixture":"f1"}`),
		"ID-09 blanks":                   put("k", "\"input\" : {\n\t\"fixture\":\"f1\", \"sport\":\"football\",\r\n\"home\":\"A\",\"away\":\"B\",\"settings\":{\"extra_time\":true,\"shootout\":false}}"),
		"ID-12 escapes":                  put("k", `"input":{"fixture":"f1","sport":"football","home":"\u0041","away":"B","settings":{"extra_time":true,"shootout":false}}`),
		"ID-14 sent again later":         put("k", `"sent_at":"2022-12-18T15:00:00Z","input":{"fixture":"f1","sport":"football","home":"A","away":"B","settings":{"extra_time":true,"shootout":false}}`),
		"ID-14 another version seen":     strings.Replace(put("k", `"input":{"fixture":"f1","sport":"football","home":"A","away":"B","settings":{"extra_time":true,"shootout":false}}`), "null", "7", 1),
	} {
		t.Run(name, func(t *testing.T) { assertAnswer(t, w.post(t, event, body), 200, road.Duplicate, "") })
	}
	for name, body := range map[string]string{
		"ID-08 another value":      put("k", `"input":{"fixture":"f1","sport":"football","home":"Z","away":"B","settings":{"extra_time":true,"shootout":false}}`),
		"ID-08 a member less":      put("k", `"input":{"fixture":"f1","sport":"football","home":"A","away":"B"}`),
		"ID-12 composed":           put("k", `"input":{"fixture":"f1","sport":"football","home":"\u00c5","away":"B","settings":{"extra_time":true,"shootout":false}}`),
		"TL-04 null is not absent": put("k", `"input":{"fixture":"f1","sport":"football","home":"A","away":"B","venue":null,"settings":{"extra_time":true,"shootout":false}}`),
	} {
		t.Run(name, func(t *testing.T) { assertAnswer(t, w.post(t, event, body), 422, road.Refused, "key_reused") })
	}
	t.Run("ID-12 composed and decomposed are two", func(t *testing.T) {
		assertAnswer(t, w.post(t, note, `{"key":"n","code":"note","input":{"text":"\u00e9"}}`), 200, road.Accepted, "")
		assertAnswer(t, w.post(t, note, `{"key":"n","code":"note","input":{"text":"e\u0301"}}`), 422, road.Refused, "key_reused")
	})
	t.Run("ID-15 keys are the sender's and the actor's", func(t *testing.T) {
		other := w.sender(t, road.NewSender{Name: "other"})
		assertAnswer(t, w.post(t, note, `{"key":"1","code":"note","input":{"text":"a"}}`), 200, road.Accepted, "")
		assertAnswer(t, w.postAs(t, other, note, `{"key":"1","code":"note","input":{"text":"b"}}`), 200, road.Accepted, "")
		assertAnswer(t, w.post(t, note, `{"key":"1","actor":"ann","code":"note","input":{"text":"c"}}`), 200, road.Accepted, "")
		assertAnswer(t, w.post(t, final, `{"key":"1","code":"period_start","input":{"period":"H1"},"saw":{"play":null}}`), 422, road.Refused, "key_reused")
	})
}

// One key from many connections at once: applied once, and everybody gets the same answer.
func TestID01ManyAtOnce(t *testing.T) {
	w := newWorld(t)
	const senders = 12
	replies := make([]reply, senders)
	var wait sync.WaitGroup
	for i := range senders {
		wait.Go(func() { replies[i] = w.post(t, note, `{"key":"same","code":"note","input":{"text":"x"}}`) })
	}
	wait.Wait()
	var applied int
	var body string
	for _, r := range replies {
		var a answerBody
		if err := json.Unmarshal(r.body, &a); err != nil {
			t.Fatal(err)
		}
		text := string(a.First)
		switch {
		case a.Outcome == road.Accepted:
			applied++
			text = string(r.body)
		case a.Outcome == road.TryAgain && a.Reason.Code == "busy":
			continue // plainly temporary: no more than some copies of one key wait at once
		case a.Outcome != road.Duplicate:
			t.Errorf("%s", r.body)
		}
		if body == "" {
			body = text
		}
		if text != body {
			t.Errorf("two answers:\n%s\n%s", body, text)
		}
	}
	if applied != 1 {
		t.Errorf("applied %d times", applied)
	}
}

func TestReadsOfTheDatabase(t *testing.T) {
	w := newWorld(t)
	first := w.get(t, "/subjects/fixture/final")
	if first.status != 200 || !strings.Contains(string(first.body), `"fixture/final/schedule"`) {
		t.Fatalf("%d %s", first.status, first.body)
	}
	etag := first.header.Get("ETag")
	// A command on another subject moves the position and nothing else.
	assertAnswer(t, w.post(t, "event/subjects/event/other", `{"key":"o","code":"create","input":{"name":"Other"}}`), 200, road.Accepted, "")
	if r := w.get(t, "/subjects/fixture/final", "If-None-Match", etag); r.status != 304 {
		t.Errorf("%d", r.status)
	}
	for i := range 5 {
		assertAnswer(t, w.post(t, note, fmt.Sprintf(`{"key":"n%d","code":"note","input":{"text":"line %d"}}`, i, i)), 200, road.Accepted, "")
	}
	if r := w.get(t, "/subjects/fixture/final", "If-None-Match", etag); r.status != 200 {
		t.Errorf("%d", r.status)
	}

	var lines []string
	path := "/subjects/fixture/final/commentary?limit=2"
	for pages := 0; path != "" && pages < 10; pages++ {
		var page struct {
			Data struct {
				Items []struct{ Text string }
				Next  *string
			}
		}
		r := w.get(t, path)
		if err := json.Unmarshal(r.body, &page); err != nil || r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		for _, item := range page.Data.Items {
			lines = append(lines, item.Text)
		}
		path = ""
		if page.Data.Next != nil {
			path = "/subjects/fixture/final/commentary?limit=2&cursor=" + *page.Data.Next
		}
	}
	if got := strings.Join(lines, ","); got != "line 0,line 1,line 2,line 3,line 4" {
		t.Errorf("pages gave %s", got)
	}
	assertProblem(t, w.get(t, "/subjects/fixture/final/commentary?cursor=eA"), 400, "bad_input")
	assertProblem(t, w.get(t, "/subjects/fixture/nothing"), 404, "not_found")
}

// A log is for senders that may read logs, and of a limited sender's own events only.
func TestLogIsForItsReaders(t *testing.T) {
	w := newWorld(t)
	assertAnswer(t, w.post(t, note, `{"key":"n","code":"note","input":{"text":"line 3"}}`), 200, road.Accepted, "")
	for name, c := range map[string]struct {
		sender road.NewSender
		status int
	}{
		"may read logs":                     {road.NewSender{Name: "all", MayReadLog: true}, 200},
		"may not":                           {road.NewSender{Name: "none"}, 403},
		"limited to the fixture's event":    {road.NewSender{Name: "own", MayReadLog: true, Events: []string{"cup"}}, 200},
		"limited to another event":          {road.NewSender{Name: "foreign", MayReadLog: true, Events: []string{"other"}}, 403},
		"limited to the fixture's own name": {road.NewSender{Name: "namesake", MayReadLog: true, Events: []string{"final"}}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.get(t, "/subjects/fixture/final/log", "Authorization", "Bearer "+w.sender(t, c.sender))
			if c.status != 200 {
				assertProblem(t, r, c.status, "not_allowed")
			} else if r.status != 200 || !strings.Contains(string(r.body), `"line 3"`) {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	assertProblem(t, w.get(t, "/subjects/fixture/final/log"), 401, "sender_unknown")
}

func TestWasItSaved(t *testing.T) {
	w := newWorld(t)
	token := []string{"Authorization", "Bearer " + w.token}
	assertProblem(t, w.get(t, "/commands/n", token...), 404, "not_saved")
	answer := w.post(t, note, `{"key":"n","code":"note","input":{"text":"x"}}`)
	assertAnswer(t, answer, 200, road.Accepted, "")
	var saved struct {
		Outcome road.Outcome
		First   json.RawMessage
	}
	r := w.get(t, "/commands/n", token...)
	if err := json.Unmarshal(r.body, &saved); err != nil || r.status != 200 || saved.Outcome != road.Accepted || string(saved.First) != string(answer.body) {
		t.Errorf("%d %s", r.status, r.body)
	}
	assertProblem(t, w.get(t, "/commands/n?actor=ann", token...), 404, "not_saved")
	other := w.sender(t, road.NewSender{Name: "other"})
	assertProblem(t, w.get(t, "/commands/n", "Authorization", "Bearer "+other), 404, "not_saved")
}

// The real catalogue gives a valid document, and each of its examples is something the road takes: whatever it then says,
// it is never a failure.
func TestExamplesOfTheCatalogue(t *testing.T) {
	w := newWorld(t)
	catalogue, err := w.road.LoadCatalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	assertDocument(t, catalogue)
	for i, cmd := range catalogue.Commands {
		ref := map[string]string{"event": "cup", "fixture": "final"}[cmd.Kind]
		request, err := exampleRequest(cmd)
		if err != nil {
			t.Fatal(err)
		}
		request["key"] = fmt.Sprintf("example-%d", i)
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		r := w.post(t, cmd.Workflow+"/subjects/"+cmd.Kind+"/"+ref, string(body))
		if r.status >= 500 || strings.Contains(string(r.body), `"bad_input"`) {
			t.Errorf("%s.%s: %d %s", cmd.Workflow, cmd.Code, r.status, r.body)
		}
	}
	for _, line := range strings.Split(w.logged.String(), "\n") {
		if strings.Contains(line, w.token) || strings.Contains(line, "Lusail") {
			t.Errorf("the log holds a token or a value: %s", line)
		}
	}
}
