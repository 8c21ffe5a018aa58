package api

import (
	"encoding/json"
	"testing"

	"umpire/server/road"
)

const restoreBody = `{"key":"k","code":"restore","input":{"position":"start"}}`

// A command of level revision states what it saw in the body or, as an ETag, in If-Match; a mismatch is 412.
func TestRevision(t *testing.T) {
	const inBody = `{"key":"k","code":"restore","input":{"position":"start"},"saw":{"revision":"abc"}}`
	for name, c := range map[string]struct {
		body   string
		header []string
		saw    string // what reaches the road
	}{
		"in the body":       {inBody, nil, `{"revision":"abc"}`},
		"in the header":     {restoreBody, []string{"If-Match", `"abc"`}, `{"revision":"abc"}`},
		"in both, the same": {inBody, []string{"If-Match", `"abc"`}, `{"revision":"abc"}`},
		"in neither":        {restoreBody, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			assertAnswer(t, s.post(t, c.body, c.header...), 200, road.Accepted, "")
			if got := s.engine.commands(); len(got) != 1 || string(got[0].Saw) != c.saw {
				t.Errorf("the road got %+v", got)
			}
		})
	}
	for name, c := range map[string]struct {
		body   string
		header []string
	}{
		"another one in the body":    {inBody, []string{"If-Match", `"def"`}},
		"weak":                       {restoreBody, []string{"If-Match", `W/"abc"`}},
		"any":                        {restoreBody, []string{"If-Match", `*`}},
		"several":                    {restoreBody, []string{"If-Match", `"abc", "def"`}},
		"empty":                      {restoreBody, []string{"If-Match", `""`}},
		"null is not a revision":     {`{"key":"k","code":"restore","input":{"position":"start"},"saw":{"revision":null}}`, nil},
		"a command of another level": {goodBody, []string{"If-Match", `"abc"`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			assertAnswer(t, s.post(t, c.body, c.header...), 422, road.Refused, "bad_input")
			if got := s.engine.commands(); len(got) != 0 {
				t.Errorf("the road got %+v", got)
			}
		})
	}

	s := newServer(t, nil)
	s.engine.answer = func(c road.Command) road.Answer {
		return road.Answer{Outcome: road.Conflict, Reason: "version_moved", Body: oneBody(c, `"outcome":"conflict","reason":{"code":"version_moved","message":"m","detail":{}},"changed":[]`)}
	}
	assertAnswer(t, s.post(t, restoreBody, "If-Match", `"abc"`), 412, road.Conflict, "version_moved")
	assertAnswer(t, s.post(t, goodBody), 409, road.Conflict, "version_moved")
}

// The state's ETag is its revision, so that it can be given back as it came; other views have one of their own.
func TestStateTagIsItsRevision(t *testing.T) {
	s := newServer(t, nil)
	s.engine.read = func(string, string, string, string, int) (json.RawMessage, error) {
		return json.RawMessage(`{"revision":"0123abc","position":"1.0","data":{}}`), nil
	}
	state := s.get(t, "/subjects/board/b1")
	if got := state.header.Get("ETag"); got != `"0123abc"` {
		t.Errorf("the state's ETag is %s", got)
	}
	if moves := s.get(t, "/subjects/board/b1/moves").header.Get("ETag"); moves == "" || moves == `"0123abc"` {
		t.Errorf("the ETag of another view is %q", moves)
	}
}
