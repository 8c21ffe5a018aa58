package race_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"testing"

	"umpire/server/road"
	"umpire/tests/harness"
)

// SP-02, C-013, C-074: two scorers, each with a token of its own and a server process of its own, send the same goal with
// the same last-seen play, 200 times. One is accepted, the other gets a conflict that carries exactly the play it missed.
// Every other time both then undo that goal: one does, the other's is a conflict, and no other play is hit. Each goal
// counts once, and both servers show the same.
func TestSP02TwoScorersTwoServers(t *testing.T) {
	t.Parallel()
	db := harness.New(t)
	layOut(t, db.URL())
	conn := db.Conn(t)
	var scorers []*scorer
	for _, name := range []string{"left", "right"} {
		token, hash := road.NewToken()
		if err := road.AddSender(t.Context(), conn, road.NewSender{Name: name, TokenSHA256: hash}); err != nil {
			t.Fatal(err)
		}
		scorers = append(scorers, &scorer{name: name, token: token, url: harness.Serve(t, db.URL())})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*limit)
	defer cancel()

	accepted := map[string]int{}
	// both sends one command from both scorers at once: the accepted answer first, then the conflict.
	both := func(round int, workflow, code, input, saw string) (won, lost said) {
		t.Helper()
		results := make(chan said, 2)
		at := make(chan struct{})
		for _, s := range scorers {
			body := fmt.Sprintf(`{"key": "%s-%d", "code": %q, "input": %s, "saw": %s}`, code, round, code, input, saw)
			go func() {
				<-at
				results <- s.post(ctx, workflow, body)
			}()
		}
		close(at)
		won, lost = <-results, <-results
		if won.status == http.StatusConflict {
			won, lost = lost, won
		}
		if won.err != nil || lost.err != nil || won.status != http.StatusOK || won.Outcome != "accepted" || lost.status != http.StatusConflict || lost.Outcome != "conflict" {
			t.Fatalf("round %d, %s: %+v and %+v, want 200 accepted and 409 conflict", round, code, won, lost)
		}
		accepted[won.by]++
		return won, lost
	}
	lastPlay := value[int64](t, conn, "select last_play_seq from road.subject where ref = 'final'")
	score := 0
	for round := range 200 {
		input := fmt.Sprintf(`{"side": "home", "minute": %d, "scorer": "Scorer of goal %d"}`, 1+round%45, round)
		won, lost := both(round, "football", "goal", input, fmt.Sprintf(`{"play": %d}`, lastPlay))
		lastPlay = won.Seq
		if score++; won.Result.Score["home"] != score || won.Result.Before["home"] != score-1 {
			t.Fatalf("round %d: the score went from %v to %v, want %d to %d", round, won.Result.Before, won.Result.Score, score-1, score)
		}
		row := fmt.Sprintf("fixture/final/play/%d", lastPlay)
		missed := fmt.Sprintf(`[{"row_id": %q, "changed_seq": %[2]d, "value": {"play": %[2]d, "workflow": "football", "code": "goal", "input": %[3]s}}]`, row, lastPlay, input)
		if !sameJSON(t, lost.Changed, []byte(missed)) {
			t.Fatalf("round %d: the conflict carries %s, want %s", round, lost.Changed, missed)
		}
		if round%2 == 0 {
			continue
		}
		won, lost = both(round, "fixture", "play_void", fmt.Sprintf(`{"play": %d, "reason": "Twice."}`, lastPlay), fmt.Sprintf(`{"rows": {%q: %d}}`, row, lastPlay))
		if score--; won.Result.Score["home"] != score {
			t.Fatalf("round %d: the score is %v after the undo, want %d", round, won.Result.Score, score)
		}
		undone := fmt.Sprintf(`[{"row_id": %q, "changed_seq": %d, "value": {"play": %d, "workflow": "football", "code": "goal", "input": %s, "voided_by": %[2]d}}]`, row, won.Seq, lastPlay, input)
		if !sameJSON(t, lost.Changed, []byte(undone)) {
			t.Fatalf("round %d: the undo's conflict carries %s, want %s", round, lost.Changed, undone)
		}
	}
	t.Logf("of 300 commands, sent by both, these were accepted: %v", accepted)

	if got := value[string](t, conn, `
		select (c.state #>> '{score,home}') || ' ' || count(*) || ' ' || count(p.voided_by) || ' ' || coalesce(sport.fixture_verify(c.fixture_id), 'as replayed')
		from sport.fixture_score c join sport.play p using (fixture_id) join road.subject s on s.subject_id = c.fixture_id
		where s.ref = 'final' and p.code = 'goal' group by c.fixture_id, c.state`); got != "100 200 100 as replayed" {
		t.Errorf("score, goals, undone goals and fold are %s, want 100 200 100 as replayed", got)
	}
	for _, view := range []string{"", "/plays?limit=500"} {
		left, right := scorers[0].read(t, ctx, view), scorers[1].read(t, ctx, view)
		if !reflect.DeepEqual(left, right) {
			t.Errorf("final%s is\n%v\non one server,\n%v\non the other", view, left, right)
		}
		if data, ok := left["data"].(map[string]any); !ok || len(data) == 0 {
			t.Errorf("final%s shows nothing: %v", view, left)
		}
	}
}

// scorer is a sender in front of one server.
type scorer struct{ name, token, url string }

// said is an answer over HTTP.
type said struct {
	Outcome string          `json:"outcome"`
	Seq     int64           `json:"seq"`
	Changed json.RawMessage `json:"changed"`
	Result  struct {
		Before map[string]int `json:"before"`
		Score  map[string]int `json:"score"`
	} `json:"result"`
	Reason json.RawMessage `json:"reason"`

	by     string
	status int
	err    error
}

func (s *scorer) post(ctx context.Context, workflow, body string) said {
	a := said{by: s.name}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/workflows/"+workflow+"/subjects/fixture/final/commands", bytes.NewReader([]byte(body)))
	if err != nil {
		return said{err: err}
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	a.status, a.err = do(request, &a)
	return a
}

// read gives a view of the fixture. The feed's position is left out: it follows what else the cluster does.
func (s *scorer) read(t testing.TB, ctx context.Context, view string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/subjects/fixture/final"+view, nil)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if status, err := do(request, &body); err != nil || status != http.StatusOK {
		t.Fatalf("reading final%s: %d %v", view, status, err)
	}
	delete(body, "position")
	return body
}

func do(request *http.Request, target any) (status int, err error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("sending: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, fmt.Errorf("reading the answer: %w", err)
	}
	if err := json.Unmarshal(body, target); err != nil {
		return 0, fmt.Errorf("the answer %.200s: %w", body, err)
	}
	return response.StatusCode, nil
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	return canonical(t, string(a)) == canonical(t, string(b))
}
