package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"umpire/server/road"
)

const goodBody = `{"key":"k1","code":"move","input":{"from":"e2","to":"e4"},"saw":{"play":null}}`

// Whatever is wrong, the answer has the one body.
func TestCommandRefusedBeforeTheRoad(t *testing.T) {
	bearer := func(token string) []string {
		return []string{"Content-Type", "application/json", "Authorization", "Bearer " + token}
	}
	good := bearer(goodToken)
	s := newServer(t, nil)
	long := `{"key":"k1","code":"move","input":{"from":"` + strings.Repeat("x", maxBody) + `"}}`
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     string
		path0                    string // pointer of the first error
	}{
		{"not JSON", "POST", testerPath, `{`, good, 400, "bad_input", ""},
		{"empty", "POST", testerPath, ``, good, 400, "bad_input", ""},
		{"member twice", "POST", testerPath, `{"key":"a","key":"b"}`, good, 400, "bad_input", "/key"},
		{"PL-05 NUL in a name", "POST", testerPath, `{"key":"k","code":"move","input":{"note":"\u0000"}}`, good, 400, "bad_input", "/input/note"},
		{"PL-05 lone surrogate", "POST", testerPath, `{"key":"k","code":"move","input":{"note":"\ud800"}}`, good, 400, "bad_input", "/input/note"},
		{"ID-11 exponent", "POST", testerPath, `{"key":"k","code":"move","input":{"free":{"n":[1,1e-100000]}}}`, good, 400, "bad_input", "/input/free/n/1"},
		{"too long", "POST", testerPath, long, good, 413, "too_large", ""},
		{"form", "POST", testerPath, `key=1`, []string{"Content-Type", "application/x-www-form-urlencoded", "Authorization", "Bearer " + goodToken}, 415, "unsupported_media_type", ""},
		{"no content type", "POST", testerPath, goodBody, []string{"Authorization", "Bearer " + goodToken}, 415, "unsupported_media_type", ""},
		{"other charset", "POST", testerPath, goodBody, []string{"Content-Type", "application/json; charset=latin1", "Authorization", "Bearer " + goodToken}, 415, "unsupported_media_type", ""},
		{"compressed", "POST", testerPath, goodBody, append([]string{"Content-Encoding", "gzip"}, good...), 415, "unsupported_media_type", ""},
		{"no token", "POST", testerPath, goodBody, good[:2], 401, "sender_unknown", ""},
		{"wrong token", "POST", testerPath, goodBody, bearer("umt_wrong"), 401, "sender_unknown", ""},
		{"other scheme", "POST", testerPath, goodBody, []string{"Content-Type", "application/json", "Authorization", "Basic " + goodToken}, 401, "sender_unknown", ""},
		{"two tokens", "POST", testerPath, goodBody, append([]string{"Authorization", "Bearer umt_low"}, good...), 401, "sender_unknown", ""},
		{"the sender comes before the envelope", "POST", testerPath, `{"x":1}`, bearer("umt_wrong"), 401, "sender_unknown", ""},
		{"no such workflow", "POST", "/workflows/nothing/subjects/board/b1/commands", goodBody, good, 404, "unknown_command", ""},
		{"no such kind", "POST", "/workflows/chess/subjects/table/b1/commands", goodBody, good, 404, "unknown_command", ""},
		{"broken path", "POST", "/workflows/%ff%00/subjects/board/b1/commands", goodBody, good, 404, "unknown_command", ""},
		{"code of another kind", "POST", "/workflows/other/subjects/board/b1/commands", goodBody, good, 404, "unknown_command", ""},
		{"no such code", "POST", testerPath, `{"key":"k","code":"resign","input":{}}`, good, 404, "unknown_command", ""},
		{"code that cannot be", "POST", testerPath, `{"key":"k","code":"Move!","input":{}}`, good, 404, "unknown_command", ""},
		{"PL-05 ref that cannot be", "POST", "/workflows/chess/subjects/board/b%001/commands", goodBody, good, 404, "subject_not_found", ""},
		{"broken ref", "POST", "/workflows/chess/subjects/board/%ff/commands", goodBody, good, 404, "subject_not_found", ""},
		{"new ref that cannot be", "POST", "/workflows/chess/subjects/board/a%20b/commands", `{"key":"k","code":"open","input":{}}`, good, 422, "bad_input", ""},
		{"workflow out of scope", "POST", testerPath, goodBody, bearer(limited), 403, "not_allowed", ""},
		{"for another", "POST", testerPath, strings.Replace(goodBody, `{`, `{"actor":"ann",`, 1), bearer("umt_low"), 403, "not_allowed", ""},
		{"array", "POST", testerPath, `[]`, good, 422, "bad_input", ""},
		{"no key", "POST", testerPath, `{"code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"TL-04 key null", "POST", testerPath, `{"key":null,"code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"TL-04 key empty", "POST", testerPath, `{"key":"","code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"key a number", "POST", testerPath, `{"key":7,"code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"key too long", "POST", testerPath, `{"key":"` + strings.Repeat("k", 201) + `","code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"key with a line end", "POST", testerPath, `{"key":"a\nb","code":"move","input":{}}`, good, 422, "bad_input", "/key"},
		{"two keys", "POST", testerPath, goodBody, append([]string{"Idempotency-Key", "k2"}, good...), 422, "bad_input", "/key"},
		{"header twice", "POST", testerPath, goodBody, append([]string{"Idempotency-Key", "k1", "Idempotency-Key", "k1"}, good...), 422, "bad_input", "/key"},
		{"actor too long", "POST", testerPath, strings.Replace(goodBody, `{`, `{"actor":"`+strings.Repeat("k", 201)+`",`, 1), good, 422, "bad_input", "/actor"},
		{"TL-04 actor null", "POST", testerPath, strings.Replace(goodBody, `{`, `{"actor":null,`, 1), good, 422, "bad_input", "/actor"},
		{"TL-04 no code", "POST", testerPath, `{"key":"k","input":{}}`, good, 422, "bad_input", "/code"},
		{"TL-04 no input", "POST", testerPath, `{"key":"k","code":"move"}`, good, 422, "bad_input", "/input"},
		{"TL-04 input null", "POST", testerPath, `{"key":"k","code":"move","input":null}`, good, 422, "bad_input", "/input"},
		{"TL-04 input array", "POST", testerPath, `{"key":"k","code":"move","input":[]}`, good, 422, "bad_input", "/input"},
		{"unknown member", "POST", testerPath, strings.Replace(goodBody, `{`, `{"extra":1,`, 1), good, 422, "bad_input", ""},
		{"saw array", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":[]}`, good, 422, "bad_input", "/saw"},
		{"saw unknown", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":{"plays":1}}`, good, 422, "bad_input", "/saw"},
		{"saw fraction", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":{"play":1.0}}`, good, 422, "bad_input", "/saw/play"},
		{"saw beyond 64 bits", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":{"play":9223372036854775808}}`, good, 422, "bad_input", "/saw/play"},
		{"TL-04 saw zero", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":{"play":0}}`, good, 422, "bad_input", "/saw/play"},
		{"saw rows text", "POST", testerPath, `{"key":"k","code":"move","input":{},"saw":{"rows":{"a":"1"}}}`, good, 422, "bad_input", "/saw/rows/a"},
		{"sent_at no date", "POST", testerPath, strings.Replace(goodBody, `{`, `{"sent_at":"now",`, 1), good, 422, "bad_input", "/sent_at"},
		{"sent_at year 0", "POST", testerPath, strings.Replace(goodBody, `{`, `{"sent_at":"0000-01-01T00:00:00Z",`, 1), good, 422, "bad_input", "/sent_at"},
		{"sent_at offset that Postgres does not know", "POST", testerPath, strings.Replace(goodBody, `{`, `{"sent_at":"2022-01-01T00:00:00+23:00",`, 1), good, 422, "bad_input", "/sent_at"},
		{"input", "POST", testerPath, `{"key":"k","code":"move","input":{"from":"e2"}}`, good, 422, "bad_input", "/input/to"},
		{"GET", "GET", testerPath, ``, good, 405, "method_not_allowed", ""},
		{"PUT", "PUT", testerPath, goodBody, good, 405, "method_not_allowed", ""},
		{"slash at the end", "POST", testerPath + "/", goodBody, good, 404, "unknown_command", ""},
		{"two slashes", "POST", strings.Replace(testerPath, "/b1", "//b1", 1), goodBody, good, 404, "unknown_command", ""},
		{"dots", "POST", "/workflows/chess/subjects/board/../b1/commands", goodBody, good, 404, "unknown_command", ""},
		{"no ref", "POST", "/workflows/chess/subjects/board/commands", goodBody, good, 404, "unknown_command", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.logged.Reset()
			r := send(t, s.URL, c.method, c.path, strings.NewReader(c.body), c.header...)
			body := assertAnswer(t, r, c.status, road.Refused, c.code)
			if c.path0 != "" && (len(body.Reason.Errors) == 0 || body.Reason.Errors[0].Path != c.path0) {
				t.Errorf("errors %+v, want the first at %s", body.Reason.Errors, c.path0)
			}
			if c.status == http.StatusMethodNotAllowed && r.header.Get("Allow") != "POST" {
				t.Errorf("Allow %q", r.header.Get("Allow"))
			}
			if got := s.engine.commands(); len(got) != 0 {
				t.Errorf("the road was asked: %+v", got)
			}
			if !strings.Contains(s.logged.String(), `"reason":"`+c.code+`"`) {
				t.Errorf("the line does not say why: %s", s.logged)
			}
		})
	}
}

// What passes reaches the road as it was sent.
func TestCommandReachesTheRoad(t *testing.T) {
	for _, c := range []struct {
		name, body string
		header     []string
		check      func(road.Command) bool
	}{
		{"plain", goodBody, nil, func(c road.Command) bool {
			return c.Sender == "tester" && string(c.TokenSHA256) == "hash" && c.Workflow == "chess" && c.Kind == "board" && c.Ref == "b1" &&
				c.Code == "move" && c.Key == "k1" && c.Actor == "" && string(c.Input) == `{"from":"e2","to":"e4"}` && string(c.Saw) == `{"play":null}` && c.SentAt == nil
		}},
		{"key in the header", `{"code":"move","input":{"from":"e2","to":"e4"}}`, []string{"Idempotency-Key", "run/1: a"},
			func(c road.Command) bool { return c.Key == "run/1: a" && c.Saw == nil }},
		{"the same key twice", goodBody, []string{"Idempotency-Key", "k1"}, func(c road.Command) bool { return c.Key == "k1" }},
		{"actor and time", `{"key":"\u00e9","actor":"Ann 7","sent_at":"2022-12-18T15:00:00.5+03:30","code":"move","input":{"from":"e2","to":"e4"}}`, nil,
			func(c road.Command) bool {
				return c.Key == "\u00e9" && c.Actor == "Ann 7" && c.SentAt.Equal(time.Date(2022, 12, 18, 11, 30, 0, 5e8, time.UTC))
			}},
		{"rows", `{"key":"k","code":"rename","input":{"name":"x"},"saw":{"rows":{"a/b":3,"c":null}}}`, nil,
			func(c road.Command) bool { return string(c.Saw) == `{"rows":{"a/b":3,"c":null}}` }},
		{"TL-04 zero is not missing", `{"key":"k","code":"move","input":{"from":"e2","to":"e4","ms":0}}`, nil,
			func(c road.Command) bool { return strings.Contains(string(c.Input), `"ms":0`) }},
		{"TL-04 null where it means something", `{"key":"k","code":"move","input":{"from":"e2","to":"e4","note":null}}`, nil,
			func(c road.Command) bool { return strings.Contains(string(c.Input), `"note":null`) }},
		{"numbers keep their scale", `{"key":"k","code":"move","input":{"from":"e2","to":"e4","share":1.50,"free":{"n":1e3}}}`, nil,
			func(c road.Command) bool { return strings.Contains(string(c.Input), `1.50,"free":{"n":1e3}`) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, nil)
			assertAnswer(t, s.post(t, c.body, c.header...), 200, road.Accepted, "")
			if got := s.engine.commands(); len(got) != 1 || !c.check(got[0]) {
				t.Errorf("the road got %+v", got)
			}
		})
	}
}

// A uuid is the same however it is written; another reference is not.
func TestPlainRef(t *testing.T) {
	for given, want := range map[string]string{
		"0B6F2A0E-6A5C-4C9E-9A53-0F9D8F1C2B34": "0b6f2a0e-6a5c-4c9e-9a53-0f9d8f1c2b34",
		"0B6F2A0E-6A5C-4C9E-9A53-0F9D8F1C2B3G": "0B6F2A0E-6A5C-4C9E-9A53-0F9D8F1C2B3G",
		"0B6F2A0E06A5C-4C9E-9A53-0F9D8F1C2B34": "0B6F2A0E06A5C-4C9E-9A53-0F9D8F1C2B34",
		"WC2022-final":                         "WC2022-final",
	} {
		if got := plainRef(given); got != want {
			t.Errorf("%s became %s", given, got)
		}
	}
}

// Each of the road's answers has its status and headers, and its bytes go out as they came.
func TestAnswers(t *testing.T) {
	const because = `"reason":{"code":"%s","message":"m","detail":{}}`
	why := func(code string) string { return fmt.Sprintf(because, code) }
	for _, c := range []struct {
		name   string
		answer road.Answer
		more   string
		status int
		wait   string
	}{
		{"accepted", road.Answer{Outcome: road.Accepted}, `"outcome":"accepted","seq":1,"result":{"n":1.50}`, 200, ""},
		{"duplicate of accepted", road.Answer{Outcome: road.Duplicate, First: road.Accepted}, `"outcome":"duplicate","first":{"seq":1}`, 200, ""},
		{"duplicate of refused", road.Answer{Outcome: road.Duplicate, First: road.Refused}, `"outcome":"duplicate","first":{"outcome":"refused"}`, 422, ""},
		{"rule", road.Answer{Outcome: road.Refused, Reason: "not_legal"}, `"outcome":"refused",` + why("not_legal"), 422, ""},
		{"key_reused", road.Answer{Outcome: road.Refused, Reason: "key_reused"}, `"outcome":"refused",` + why("key_reused"), 422, ""},
		{"version_missing", road.Answer{Outcome: road.Refused, Reason: "version_missing"}, `"outcome":"refused",` + why("version_missing"), 422, ""},
		{"sender_unknown", road.Answer{Outcome: road.Refused, Reason: "sender_unknown"}, `"outcome":"refused",` + why("sender_unknown"), 401, ""},
		{"not_allowed", road.Answer{Outcome: road.Refused, Reason: "not_allowed"}, `"outcome":"refused",` + why("not_allowed"), 403, ""},
		{"subject_not_found", road.Answer{Outcome: road.Refused, Reason: "subject_not_found"}, `"outcome":"refused",` + why("subject_not_found"), 404, ""},
		{"conflict", road.Answer{Outcome: road.Conflict, Reason: "version_moved"}, `"outcome":"conflict","changed":[],` + why("version_moved"), 409, ""},
		{"busy", road.Answer{Outcome: road.TryAgain, Reason: "busy", RetryAfter: 500 * time.Millisecond}, `"outcome":"try_again","retry_after_ms":500,` + why("busy"), 503, "1"},
		{"no delay", road.Answer{Outcome: road.TryAgain, Reason: "busy"}, `"outcome":"try_again","retry_after_ms":0,` + why("busy"), 503, "1"},
		{"rounded up", road.Answer{Outcome: road.TryAgain, Reason: "busy", RetryAfter: 2001 * time.Millisecond}, `"outcome":"try_again","retry_after_ms":2001,` + why("busy"), 503, "3"},
		{"internal_error", road.Answer{Outcome: road.TryAgain, Reason: "internal_error", RetryAfter: time.Second}, `"outcome":"try_again","retry_after_ms":1000,` + why("internal_error"), 500, "1"},
		{"no_handler", road.Answer{Outcome: road.TryAgain, Reason: "no_handler", RetryAfter: time.Second}, `"outcome":"try_again","retry_after_ms":1000,` + why("no_handler"), 500, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, nil)
			var sent []byte
			s.engine.answer = func(cmd road.Command) road.Answer {
				a := c.answer
				a.Body = oneBody(cmd, c.more)
				sent = a.Body
				return a
			}
			r := s.post(t, goodBody)
			assertAnswer(t, r, c.status, c.answer.Outcome, c.answer.Reason)
			if string(r.body) != string(sent) {
				t.Errorf("the bytes changed:\n%s\n%s", sent, r.body)
			}
			if r.header.Get("Retry-After") != c.wait {
				t.Errorf("Retry-After %q, want %q", r.header.Get("Retry-After"), c.wait)
			}
		})
	}
}

func TestCommandWhenTheDatabaseIsDown(t *testing.T) {
	s := newServer(t, nil)
	s.engine.down = fmt.Errorf("looking up: %w", &road.UnavailableError{Reason: "not_sent", RetryAfter: 1500 * time.Millisecond})
	r := s.post(t, goodBody)
	body := assertAnswer(t, r, 503, road.TryAgain, "not_sent")
	if r.header.Get("Retry-After") != "2" || *body.Retry != 1500 || *body.Key != "k1" {
		t.Errorf("%v %s", r.header, r.body)
	}
	s.engine.down = io.ErrUnexpectedEOF
	assertAnswer(t, s.post(t, goodBody), 500, road.TryAgain, "internal_error")
	s.engine.down = &road.UnavailableError{Reason: "busy"}
	assertAnswer(t, s.post(t, goodBody), 503, road.TryAgain, "busy")
}

func TestPanicHasTheOneBody(t *testing.T) {
	s := newServer(t, nil)
	s.engine.answer = func(road.Command) road.Answer { panic("CANARY") }
	r := s.post(t, goodBody, "Idempotency-Key", "k1")
	body := assertAnswer(t, r, 500, road.TryAgain, "internal_error")
	if *body.Key != "k1" || *body.Subject["ref"] != "b1" {
		t.Errorf("%s", r.body)
	}
	if logged := s.logged.String(); !strings.Contains(logged, "postCommand") || strings.Contains(logged, "CANARY") {
		t.Errorf("the stack belongs in the log, what the panic carries does not: %s", logged)
	}
	s.engine.read = nil
	assertProblem(t, s.get(t, "/subjects/board/b1"), 500, "internal_error")
}

// A body that does not arrive whole is for the sender to send again; one that is cut but whole by its length is not.
func TestIM02CutBody(t *testing.T) {
	s := newServer(t, func(o *Options) { o.BodyTimeout = 50 * time.Millisecond })
	for name, c := range map[string]struct {
		encoding string
		hangUp   bool
		status   int
		outcome  road.Outcome
		code     string
	}{
		"client stops sending":           {"Content-Length: 1000", false, 503, road.TryAgain, "body_incomplete"},
		"client half-closes":             {"Content-Length: 1000", true, 503, road.TryAgain, "body_incomplete"},
		"chunks that are none":           {"Transfer-Encoding: chunked", true, 400, road.Refused, "bad_input"},
		"cut, but of the length it says": {"Content-Length: 20", false, 400, road.Refused, "bad_input"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n%s\r\n", testerPath, goodToken, c.encoding, goodBody)
			if c.hangUp {
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			content, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			assertAnswer(t, reply{response.StatusCode, response.Header, content}, c.status, c.outcome, c.code)
			if !response.Close && !strings.HasPrefix(c.encoding, "Content-Length: 20") {
				t.Error("the connection stays open")
			}
		})
	}
	if got := s.engine.commands(); len(got) != 0 {
		t.Errorf("the road was asked: %+v", got)
	}
}

// The read deadline is for the body only: it is cleared before the command runs, so that neither this request nor the
// next one on the connection is cancelled by it.
func TestReadDeadlineEndsWithTheBody(t *testing.T) {
	s := newServer(t, nil)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.engine.answer = func(c road.Command) road.Answer {
		if len(w.set) != 2 || w.set[0].IsZero() || !w.set[1].IsZero() {
			t.Errorf("read deadlines %v, want one for the body and then none", w.set)
		}
		return road.Answer{Outcome: road.Accepted, Body: oneBody(c, `"outcome":"accepted","seq":1,"result":{}`)}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testerPath, strings.NewReader(goodBody))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+goodToken)
	s.api.ServeHTTP(w, r)
	assertAnswer(t, reply{w.Code, w.Header(), w.Body.Bytes()}, 200, road.Accepted, "")
}

type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}
