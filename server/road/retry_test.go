package road

import (
	"encoding/json"
	"errors"
	"testing"
)

// C-132: a retry may be refused before its first attempt is decided, and that may still be accepted. The first waits in a
// server's memory, the retry comes to another server and finds no such fixture, then the fixture is created. By the key
// the sender learns what became of it: docs/contract.md asks for that look.
func TestC132RefusedRetryOfAnAcceptedCommand(t *testing.T) {
	w := newWorld(t)
	one, two := w.open(t, nil), w.open(t, nil)
	release := w.hold(t, "fixture", "final")
	blocks := start(t, one, w.line("blocks", "x")) // has the only connection
	w.waiting(t, 1)
	late := w.command("fixture", "fixture", "late", "note", "k", `{"text":"x"}`)
	first := start(t, one, late) // nobody waits for its answer
	until(t, "the first attempt waits in memory", func() bool { return one.Stats().UnderWay == 2 })

	w.expect(t, two.Execute(t.Context(), late), Refused, "subject_not_found")
	if _, err := two.SavedCommand(t.Context(), w.sender.Name, "k", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("not yet saved: %v", err)
	}
	put := w.command("event", "event", "cup", "fixture_put", "put", `{"fixture":"late","sport":"football","home":"A","away":"B"}`)
	put.Saw = json.RawMessage(`{"rows":{"fixture/late/schedule":null}}`)
	w.expect(t, two.Execute(t.Context(), put), Accepted, "")
	release()
	w.expect(t, receive(t, blocks), Accepted, "")
	w.expect(t, receive(t, first), Accepted, "")

	if _, err := two.SavedCommand(t.Context(), w.sender.Name, "k", ""); err != nil {
		t.Errorf("saved: %v", err)
	}
	w.expect(t, two.Execute(t.Context(), late), Duplicate, "")
}

// C-133: how long an attempt that nobody hears of can still be under way, as docs/contract.md says it: 10 s, a batch 46 s.
func TestC133HowLongAnAttemptLives(t *testing.T) {
	pools := DefaultPools()
	for name, seconds := range map[PoolName]float64{CommandPool: 10, ImportPool: 46} {
		p := pool{options: pools[name]}
		if is := (p.options.Patience + p.callTime()).Seconds(); is != seconds {
			t.Errorf("pool %s: %v s; docs/contract.md says %v", name, is, seconds)
		}
	}
}
