package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// reply is one answer of the test's server; status 0 cuts the connection.
type reply struct {
	status int
	body   string
}

// server answers with the replies in turn, the last one for ever, and keeps what was sent.
func server(t *testing.T, replies ...reply) (*Client, *[]string) {
	t.Helper()
	var sent []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer umt_x" {
			t.Errorf("Authorization is %q", got)
		}
		sent = append(sent, r.URL.Path+" "+string(body))
		next := replies[min(len(sent), len(replies))-1]
		if next.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(next.status)
		_, _ = io.WriteString(w, next.body)
	}))
	t.Cleanup(s.Close)
	return &Client{BaseURL: s.URL, Token: "umt_x", Pause: func(int) time.Duration { return time.Millisecond }}, &sent
}

const (
	accepted = `{"outcome": "accepted", "key": "k", "seq": 7, "result": {"play": 7}}`
	tryAgain = `{"outcome": "try_again", "key": "k", "reason": {"code": "busy", "message": "Later."}, "retry_after_ms": 1}`
)

var goal = Command{Workflow: "football", Kind: "fixture", Ref: "final", Key: "k", Code: "goal", Input: map[string]any{"side": "home"}, Saw: map[string]any{"play": nil}}

// C-004, C-111: only try again and network errors are retried, each time with the same body under the same key.
func TestC111RetriesTheSameCommand(t *testing.T) {
	c, sent := server(t, reply{503, tryAgain}, reply{0, ""}, reply{500, tryAgain}, reply{200, accepted})
	answer, err := c.Send(t.Context(), goal)
	if err != nil || answer.Outcome != "accepted" || answer.Seq != 7 {
		t.Fatalf("%+v %v", answer, err)
	}
	if len(*sent) != 4 {
		t.Fatalf("sent %d times: %q", len(*sent), *sent)
	}
	for _, s := range *sent {
		if s != `/workflows/football/subjects/fixture/final/commands {"key":"k","code":"goal","input":{"side":"home"},"saw":{"play":null}}` {
			t.Errorf("sent %s", s)
		}
	}
}

// C-112: what was decided is not sent again.
func TestC112DecidedIsNotSentAgain(t *testing.T) {
	for outcome, status := range map[string]int{"accepted": 200, "duplicate": 200, "refused": 422, "conflict": 409} {
		c, sent := server(t, reply{status, `{"outcome": "` + outcome + `", "reason": {"code": "x"}, "first": ` + accepted + `}`})
		answer, err := c.Send(t.Context(), goal)
		if err != nil || answer.Outcome != outcome || len(*sent) != 1 {
			t.Errorf("%s: %+v %v, sent %d times", outcome, answer, err, len(*sent))
		}
		if decided := answer.Decided(); (decided.Seq == 7) != (outcome == "duplicate") {
			t.Errorf("%s: what counts is %+v", outcome, decided)
		}
	}
}

// What is not an Umpire server's answer is never taken for a decision.
func TestStrangeAnswersAreUnknown(t *testing.T) {
	for name, strange := range map[string]reply{
		"a proxy's page": {502, "<html>Bad Gateway</html>"}, "no outcome": {200, "{}"}, "cut": {200, `{"outcome": "acc`}, "no reason": {503, `{"outcome": "try_again"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, sent := server(t, strange, reply{200, accepted})
			if answer, err := c.Send(t.Context(), goal); err != nil || answer.Outcome != "accepted" || len(*sent) != 2 {
				t.Errorf("%+v %v, sent %d times", answer, err, len(*sent))
			}
		})
	}
}

// When its time is over, Send says that the outcome is not known, and why.
func TestGivesUpWithItsContext(t *testing.T) {
	c, _ := server(t, reply{503, tryAgain})
	ctx, cancel := context.WithCancel(t.Context())
	c.Pause = func(attempt int) time.Duration {
		if attempt == 3 {
			cancel()
		}
		return time.Millisecond
	}
	_, err := c.Send(ctx, goal)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// C-111: min(30 s, 200 ms * 2^n) * (0.5 .. 1.5), and never less than the server asks for.
func TestC111Backoff(t *testing.T) {
	for attempt, base := range map[int]time.Duration{0: 200 * time.Millisecond, 3: 1600 * time.Millisecond, 7: 25600 * time.Millisecond, 8: 30 * time.Second, 100: 30 * time.Second} {
		for range 200 {
			if d := Backoff(attempt); d < base/2 || d > base+base/2 {
				t.Fatalf("attempt %d waits %s, want %s give or take a half", attempt, d, base)
			}
		}
	}
	if d := longer(time.Second, 3000); d != 3*time.Second {
		t.Errorf("the server asks for 3 s, we wait %s", d)
	}
}

func TestReadSaysWhatWentWrong(t *testing.T) {
	c, _ := server(t, reply{404, `{"code": "not_found"}`})
	var target json.RawMessage
	if err := c.Read(t.Context(), "fixture", "nope", "state", &target); err == nil || !strings.Contains(err.Error(), "404") || !strings.Contains(err.Error(), "not_found") {
		t.Errorf("got %v", err)
	}
}
