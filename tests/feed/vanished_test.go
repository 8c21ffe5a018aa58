package feed_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"umpire/tests/harness"
)

// streamsEnded are the streams that the server's log says have ended: for each request id how many viewers there still were.
func streamsEnded(t *testing.T, log string) map[string]int {
	t.Helper()
	ended := map[string]int{}
	for text := range strings.Lines(log) {
		var line struct {
			Msg, Route string
			RequestID  string `json:"request_id"`
			Viewers    *int
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Msg != "request" || line.Route != "GET /notes" {
			continue
		}
		if line.Viewers == nil {
			t.Fatalf("the log does not say how many viewers there are: %s", text)
		}
		ended[line.RequestID] = *line.Viewers
	}
	return ended
}

// C-018, SS-06: of the real server's viewers some lose their power: no FIN, no RST, and so few and small notes that no write
// ever has to wait. The kernel gives them up half a minute after the first byte that nobody acknowledged, which is a note's or
// a heartbeat's; the server's log says that they are gone and how many are left. The others get every note.
func TestSS06VanishedFromTheRealServer(t *testing.T) {
	db := harness.New(t)
	token := layOut(t, db.URL())
	var log harness.Log
	b := &bed{web: harness.ServeLogged(t, db.URL(), &log), token: token}
	conn := connect(t, db.URL())
	before := len(allNotes(t, conn))

	type seen struct {
		notes []string
		err   error
	}
	good := make([]*stream, 3)
	got := make(chan seen, len(good))
	for i := range good {
		s := mustOpen(t, b.web+"/notes", "")
		s.mustNext(t, "hello")
		good[i] = s
		go func() {
			var all seen
			all.notes, all.err = s.upTo(func(f frame, _ int) bool { return strings.Contains(f.data, lastWord) })
			got <- all
		}()
	}
	dead := map[string]string{"told": "fixture=f0", "quiet": "fixture=f3"} // on f3 nothing happens
	for id, filter := range dead {
		c, err := net.Dial("tcp", strings.TrimPrefix(b.web, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := fmt.Fprintf(c, "GET /notes?%s HTTP/1.1\r\nHost: x\r\nX-Request-Id: %s\r\n\r\n", filter, id); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		newStream(response).mustNext(t, "hello")
		if err := harness.Vanish(c.(*net.TCPConn)); err != nil {
			t.Skipf("this machine cannot make a connection's end vanish, so nobody does here: %v", err)
		}
	}

	begun := time.Now()
	pace := time.NewTicker(time.Second / 2)
	defer pace.Stop()
	sent, ended := 0, map[string]int{}
	for end := begun.Add(2 * limit); len(ended) < len(dead); sent++ {
		if time.Now().After(end) {
			t.Fatalf("after %s and %d notes these are gone: %v", 2*limit, sent, ended)
		}
		<-pace.C
		b.must(t, http.MethodPost, fmt.Sprintf("/workflows/fixture/subjects/fixture/f%d/commands", sent%2), fmt.Sprintf(`{"key": %q, "code": "note", "input": {"text": "x"}}`, key()))
		for id, left := range streamsEnded(t, log.String()) {
			if _, known := ended[id]; !known {
				t.Logf("%q is gone after %s and %d notes; the server says that %d are left", id, time.Since(begun).Round(time.Second), sent+1, left)
			}
			ended[id] = left
		}
	}
	least := len(good) + len(dead)
	for id := range dead {
		left, gone := ended[id]
		if !gone {
			t.Errorf("%q is still there; gone are %v", id, ended)
		}
		least = min(least, left)
	}
	if least != len(good) {
		t.Errorf("the server counts %d viewers, want %d", least, len(good))
	}
	comment(t, conn, "f1", lastWord)
	want := allNotes(t, conn)[before:]
	for range good {
		all := <-got
		if all.err != nil {
			t.Errorf("a viewer that reads: %v", all.err)
		}
		same(t, "a viewer that reads", all.notes, want)
	}
	for _, s := range good {
		s.close()
	}
	waitFor(t, "the server to count no viewer", func() bool {
		for _, left := range streamsEnded(t, log.String()) {
			if left == 0 {
				return true
			}
		}
		return false
	})
}
