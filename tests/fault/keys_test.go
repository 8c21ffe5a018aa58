package fault_test

import (
	"net/http"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// ID-08: another body under a key is refused key_reused on every path, on every server process, and shows nothing of the
// first answer. Where nothing was saved under the key, the mended command is simply taken.
func TestID08AnotherBody(t *testing.T) {
	b := newBed(t, harness.New(t), "other")
	one, two := b.serve(t), b.serve(t)
	reused := func(t *testing.T, u *umpire, c command) {
		t.Helper()
		a, _ := b.settle(t, u, c)
		if a.brief() != "refused key_reused" || a.status != 422 || a.First != nil || a.Seq != 0 || a.Result != nil || len(a.Reason.Detail) > 2 {
			t.Errorf("%v: %+v", a, a.Answer)
		}
	}
	t.Run("after an acceptance", func(t *testing.T) {
		if a := b.post(t.Context(), one, line("k1", "x")); a.brief() != "accepted" {
			t.Fatal(a)
		}
		goal := command{workflow: "football", kind: "fixture", ref: "final", code: "goal", key: "k1", input: `{"side": "home", "minute": 1}`, saw: `{"play": null}`}
		for _, u := range []*umpire{one, two} {
			reused(t, u, line("k1", "y"))
			reused(t, u, line("k1", "x").on("other"))
			reused(t, u, goal)
		}
		one.kill(t)
		one.start(t)
		reused(t, one, line("k1", "y"))
	})
	t.Run("after a refusal", func(t *testing.T) {
		goal := func(minute string) command {
			return command{workflow: "football", kind: "fixture", ref: "final", code: "goal", key: "k2", input: `{"side": "home", "minute": ` + minute + `}`, saw: `{"play": null}`}
		}
		if a := b.post(t.Context(), one, goal("1")); a.brief() != "refused not_running" {
			t.Fatal(a)
		}
		reused(t, one, goal("2"))
		reused(t, two, goal("2"))
		one.kill(t)
		one.start(t)
		reused(t, one, goal("2"))
		if a := b.post(t.Context(), one, goal("1")); a.brief() != "duplicate" || a.First.Outcome != "refused" {
			t.Errorf("the refused one again: %v", a)
		}
	})
	t.Run("in flight", func(t *testing.T) {
		open := b.closeGates(t)
		first := b.start(t.Context(), one, line("commit-k3", "x"))
		b.atGate(t)
		same := b.start(t.Context(), one, line("commit-k3", "y"))                  // waits in the server's memory
		other := b.start(t.Context(), two, line("commit-k3", "y"))                 // waits for the fixture
		elsewhere := b.start(t.Context(), two, line("commit-k3", "x").on("other")) // holds its fixture, and waits for the key
		b.WaitFor(t, `select count(*) = 1 from pg_stat_activity where datname = current_database() and application_name like 'umpire:command fixture.note % final' and wait_event_type = 'Lock' and wait_event <> 'advisory'`)
		open()
		if a := receive(t, first, "the first"); a.brief() != "accepted" {
			t.Errorf("the first: %v", a)
		}
		for what, got := range map[string]<-chan answer{"same server": same, "other server": other, "other fixture": elsewhere} {
			if a := receive(t, got, what); a.brief() != "refused key_reused" || a.First != nil {
				t.Errorf("%s: %v", what, a)
			}
		}
		b.once(t, "commit-k3")
	})
	t.Run("after a failed validation", func(t *testing.T) {
		bad := line("k4", "x")
		bad.input = `{"text": ""}`
		if a := b.post(t.Context(), one, bad); a.brief() != "refused bad_input" {
			t.Fatal(a)
		}
		if a := b.post(t.Context(), two, line("k4", "mended")); a.brief() != "accepted" {
			t.Errorf("mended: %v", a)
		}
		reused(t, one, line("k4", "y"))
		if a := b.post(t.Context(), one, bad); a.brief() != "refused bad_input" || a.First != nil {
			t.Errorf("the bad one again: %v", a)
		}
	})
}

// The system is the server itself. No request is it, whatever it says: not by token, not by actor, not in its body.
func TestNobodyIsTheSystemOverHTTP(t *testing.T) {
	b := newBed(t, harness.New(t))
	u := b.serve(t)
	mine := b.token
	for _, token := range []string{"system", "", "umt_", "umt_system", strings.Repeat("0", 64), "umt_" + strings.Repeat("A", 43)} {
		b.token = token
		if a := b.post(t.Context(), u, line("k", "x")); a.status != http.StatusUnauthorized {
			t.Errorf("token %q: %v", token, a)
		}
	}
	b.token = mine
	for _, more := range []string{`"sender": "system"`, `"actor": "system"`} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url()+"/workflows/fixture/subjects/fixture/final/commands",
			strings.NewReader(`{"key": "k", "code": "note", "input": {"text": "x"}, `+more+`}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+mine)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode < 400 {
			t.Errorf("%s: %s", more, response.Status)
		}
	}
	if n := value[int](t, b, `select count(*)::int from road.command where sender = 'system' or command_id = 'k'`); n != 0 {
		t.Errorf("%d commands", n)
	}
}
