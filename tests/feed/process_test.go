package feed_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/feed"
	"umpire/server/postgres"
	"umpire/tests/harness"
)

// readerVariable makes this test binary a consumer: DATABASE-URL FILE.
const readerVariable = "FEED_TEST_READER"

// readAsProcess reads the consumer stats, writes what it got to a file, and acknowledges only then. It never ends by
// itself, and comes back after the database was away.
func readAsProcess() {
	ctx := context.Background()
	out, err := os.OpenFile(os.Getenv("FEED_TEST_FILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		if err := readOn(ctx, os.Getenv(readerVariable), out); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(20 * time.Millisecond) // not a test's wait: the reader's pause between two tries
	}
}

func readOn(ctx context.Context, url string, out *os.File) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	c := feed.NewConsumers(conn)
	for {
		raw, err := c.Page(ctx, "screen", "stats", 3, "", "")
		if err != nil {
			return err
		}
		var page struct {
			Next  *string
			Items []noteData
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, n := range page.Items {
			if _, err := fmt.Fprintf(out, "%s %d\n", n.Subject.Ref, n.Seq); err != nil {
				return err
			}
		}
		if page.Next == nil {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if _, err := c.Acknowledge(ctx, "screen", "stats", *page.Next); err != nil {
			return err
		}
	}
}

// reader is such a process.
type reader struct{ cmd *osexec.Cmd }

func startReader(t *testing.T, url, file string) *reader {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readerVariable+"="+url, "FEED_TEST_FILE="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &reader{cmd}
	t.Cleanup(r.kill)
	return r
}

func (r *reader) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// written are the lines that the readers wrote; a line that a kill cut short is left out.
func written(t *testing.T, file string) (lines []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if i := bytes.LastIndexByte(content, '\n'); i >= 0 {
		s := bufio.NewScanner(bytes.NewReader(content[:i+1]))
		for s.Scan() {
			lines = append(lines, s.Text())
		}
	}
	return lines
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// OB-02 across kill -9 of the reader, in a process of its own, and of Postgres: nothing is lost, and apart from the page
// that was not acknowledged, which comes again, everything comes once and in order. The live stream comes back as well.
func TestOB02KillReaderAndPostgres(t *testing.T) {
	db := harness.NewOwn(t, postgres.Options{})
	token := layOut(t, db.URL())
	b := serve(t, db.URL(), token, nil)
	file := filepath.Join(t.TempDir(), "read")
	conn := connect(t, db.URL())
	before := len(allNotes(t, conn))
	b.must(t, http.MethodPut, "/consumers/stats", `{}`)
	viewer := mustOpen(t, b.web+"/notes", "")
	viewer.mustNext(t, "hello")

	r := startReader(t, db.URL(), file)
	sent := 0
	for range size(4, 40) {
		for range 10 {
			comment(t, conn, fmt.Sprintf("f%d", sent%4), "x")
			sent++
		}
		waitFor(t, "the reader to have begun", func() bool { return len(written(t, file)) > sent-10 })
		r.kill()
		r = startReader(t, db.URL(), file)
	}
	// Transaction ids that leave no trace in the WAL are given out again after a crash. A position must not lie above them.
	waitFor(t, "the reader to have all", func() bool { return slices.Contains(written(t, file), last(allNotes(t, conn))) })
	for range 50 {
		exec(t, conn, "begin; select pg_current_xact_id(); rollback")
	}
	b.must(t, http.MethodPut, "/consumers/late", `{}`)
	if err := db.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	if err := db.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = connect(t, db.URL())
	for range 10 {
		comment(t, conn, fmt.Sprintf("f%d", sent%4), "x")
		sent++
	}
	want := allNotes(t, conn)[before:]
	waitFor(t, "the reader to have the last", func() bool { return slices.Contains(written(t, file), last(want)) })
	var once []string
	for _, line := range written(t, file) {
		if !slices.Contains(once, line) {
			once = append(once, line)
		}
	}
	same(t, "the reader that was killed", once, want)
	got, _ := viewer.mustRead(t, sent)
	same(t, "the viewer", got, want)
	same(t, "a consumer created before the crash", b.consume(t, "late", 100), want[len(want)-10:])
	r.kill()
}

func last(list []string) string { return list[len(list)-1] }
