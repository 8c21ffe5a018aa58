// Package feed_test follows the outbox in every way there is, while things go wrong, and asks each time: every note, once,
// in order.
//
// The long versions run with -soak (make soak).
package feed_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/api"
	"umpire/server/feed"
	"umpire/server/road"
	"umpire/tests/harness"
)

var (
	soak = flag.Bool("soak", false, "run the long versions")
	seed = flag.Uint64("seed", 0, "repeat what a random test logged as its seed; 0 is a new one")
)

func TestMain(m *testing.M) {
	if os.Getenv(readerVariable) != "" {
		readAsProcess()
		return
	}
	harness.Main(m)
}

// limit bounds everything that is waited for. Reaching it is a failure, never a measurement.
const limit = 60 * time.Second

// size is the short or the long number of something.
func size(short, long int) int {
	if *soak {
		return long
	}
	return short
}

// bed is a laid-out database with a server on it.
type bed struct {
	url    string // of the database
	web    string
	token  string
	road   *road.Road
	hub    *feed.Hub
	server *http.Server
	logged *harness.Log
}

// layOut makes the event cup with the fixtures f0 to f3 and the sender screen, which may read logs.
func layOut(t testing.TB, url string) (token string) {
	t.Helper()
	conn := connect(t, url)
	token, hash := road.NewToken()
	if err := road.AddSender(t.Context(), conn, road.NewSender{Name: "screen", TokenSHA256: hash, MayReadLog: true}); err != nil {
		t.Fatal(err)
	}
	send(t, conn, "event", "event", "cup", "create", `{"name": "Cup"}`, "")
	for i := range 4 {
		f := fmt.Sprintf("f%d", i)
		send(t, conn, "event", "event", "cup", "fixture_put", fmt.Sprintf(`{"fixture": %q, "sport": "football", "home": "Reds", "away": "Blues"}`, f),
			fmt.Sprintf(`{"rows": {"fixture/%s/schedule": null}}`, f))
	}
	return token
}

// serve starts a server on a laid-out database.
func serve(t testing.TB, url, token string, change func(*feed.Options, *api.StreamOptions), limits ...func(*http.Server)) *bed {
	t.Helper()
	b := &bed{url: url, token: token, logged: &harness.Log{}}
	fo := feed.Options{URL: url, Log: slog.New(slog.NewTextHandler(b.logged, nil))}
	so := api.StreamOptions{}
	if change != nil {
		change(&fo, &so)
	}
	var err error
	if b.hub, err = feed.Open(t.Context(), fo); err != nil {
		t.Fatal(err)
	}
	if b.road, err = road.Open(t.Context(), road.Options{URL: url, Accepted: func(string, string) { b.hub.Wake() }}); err != nil {
		t.Fatal(err)
	}
	catalogue, err := b.road.LoadCatalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := api.New(api.Options{Engine: b.road, Catalogue: catalogue, Feed: b.hub, Streams: so, Consumers: feed.NewConsumers(b.road.Pool(road.WorkPool))})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.server = api.Server("", a, nil)
	b.server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(8 << 10) // so that a viewer who does not read is noticed early
		return ctx
	}
	for _, limit := range limits {
		limit(b.server)
	}
	b.web = "http://" + listener.Addr().String()
	served := make(chan struct{})
	go func() { _ = b.server.Serve(listener); close(served) }()
	t.Cleanup(func() {
		b.hub.Stop()
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := b.server.Shutdown(ctx); err != nil {
			t.Errorf("stopping: %v", err)
		}
		<-served
		b.hub.Close()
		b.road.Close()
	})
	return b
}

func newBed(t testing.TB, change func(*feed.Options, *api.StreamOptions), limits ...func(*http.Server)) (*bed, *harness.DB) {
	t.Helper()
	db := harness.New(t)
	return serve(t, db.URL(), layOut(t, db.URL()), change, limits...), db
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	})
	return conn
}

var keys struct {
	sync.Mutex
	n int
}

func key() string {
	keys.Lock()
	defer keys.Unlock()
	keys.n++
	return fmt.Sprintf("k-%d-%d", os.Getpid(), keys.n)
}

// trySend executes a command past the server, so that the poller is not woken, and gives the number that it got.
func trySend(ctx context.Context, conn *pgx.Conn, workflow, kind, ref, code, input, saw string) (seq int64, err error) {
	var outcome string
	var answer []byte
	var sawArg any
	if saw != "" {
		sawArg = saw
	}
	err = conn.QueryRow(ctx, `select outcome, answer, coalesce((answer ->> 'seq')::bigint, 0) from road.execute('screen', $1, $2, $3, $4, $5, $6, $7)`,
		workflow, kind, ref, code, key(), input, sawArg).Scan(&outcome, &answer, &seq)
	if err == nil && outcome != "accepted" {
		err = fmt.Errorf("%s", answer)
	}
	return seq, err
}

func send(t testing.TB, conn *pgx.Conn, workflow, kind, ref, code, input, saw string) {
	t.Helper()
	if _, err := trySend(t.Context(), conn, workflow, kind, ref, code, input, saw); err != nil {
		t.Fatal(err)
	}
}

// comment writes a line of commentary on a fixture: one note.
func comment(t testing.TB, conn *pgx.Conn, ref, text string) {
	t.Helper()
	send(t, conn, "fixture", "fixture", ref, "note", fmt.Sprintf(`{"text": %q}`, text), "")
}

func exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func value[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) (v T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// allNotes are the notes there are, as "ref seq", in the readers' order.
func allNotes(t testing.TB, conn *pgx.Conn) []string {
	t.Helper()
	return texts(t, conn, "select n.ref || ' ' || n.seq from road.notes('0', 0, 1000000) n")
}

// texts are the rows of a query with one column.
func texts(t testing.TB, conn *pgx.Conn, sql string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// frame is one server-sent event.
type frame struct {
	id    string
	hasID bool
	event string
	data  string
}

type noteData struct {
	Subject struct{ Kind, Ref string }
	Event   string
	Seq     int64
	Code    string
	Note    json.RawMessage
}

func (n noteData) name() string {
	return fmt.Sprintf("%s/%s %d", n.Subject.Kind, n.Subject.Ref, n.Seq)
}

func (f frame) note(t testing.TB) string {
	t.Helper()
	note, err := f.parse()
	if err != nil {
		t.Fatal(err)
	}
	return note
}

// parse gives a note's frame as "ref seq".
func (f frame) parse() (string, error) {
	var n noteData
	if err := json.Unmarshal([]byte(f.data), &n); err != nil {
		return "", fmt.Errorf("%q: %w", f.data, err)
	}
	return fmt.Sprintf("%s %d", n.Subject.Ref, n.Seq), nil
}

// stream is an open GET /notes.
type stream struct {
	response *http.Response
	lines    *bufio.Reader
	cancel   context.CancelFunc
}

// open begins a stream that lives no longer than the test.
func open(t testing.TB, url, lastID string) (*stream, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return openStream(ctx, url, lastID)
}

// openStream begins a stream; lastID goes into the header that a browser sends.
func openStream(ctx context.Context, url, lastID string) (*stream, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*limit)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		cancel()
		return nil, fmt.Errorf("%d %s", response.StatusCode, body)
	}
	return &stream{response: response, lines: bufio.NewReader(response.Body), cancel: cancel}, nil
}

func mustOpen(t testing.TB, url, lastID string) *stream {
	t.Helper()
	s, err := open(t, url, lastID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stream) close() {
	s.cancel()
	_ = s.response.Body.Close()
}

// next reads one frame; comments and retry are passed over.
func (s *stream) next() (frame, error) {
	var f frame
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return f, err
		}
		line = strings.TrimSuffix(line, "\n")
		name, text, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && f != (frame{}):
			return f, nil
		case strings.HasPrefix(line, "id"):
			f.id, f.hasID = text, true
		case name == "event":
			f.event = text
		case name == "data":
			f.data = text
		}
	}
}

// upTo reads notes until enough says so, or until the stream ends or brings anything else, which is then the error. For
// any goroutine.
func (s *stream) upTo(enough func(f frame, n int) bool) (notes []string, err error) {
	for {
		f, err := s.next()
		if err != nil {
			return notes, err
		}
		if f.event != "note" {
			return notes, fmt.Errorf("want a note, got %+v", f)
		}
		note, err := f.parse()
		if err != nil {
			return notes, err
		}
		if notes = append(notes, note); enough(f, len(notes)) {
			return notes, nil
		}
	}
}

func (s *stream) mustNext(t testing.TB, event string) frame {
	t.Helper()
	f, err := s.next()
	if err != nil {
		t.Fatalf("waiting for %s: %v", event, err)
	}
	if f.event != event {
		t.Fatalf("want %s, got %+v", event, f)
	}
	return f
}

// mustRead reads notes until there are so many.
func (s *stream) mustRead(t testing.TB, n int) (notes []string, last string) {
	t.Helper()
	for len(notes) < n {
		f := s.mustNext(t, "note")
		notes, last = append(notes, f.note(t)), f.id
	}
	return notes, last
}

// call asks the API as the sender screen.
func (b *bed) call(t testing.TB, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, got, err := ask(t.Context(), method, b.web+path, b.token, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, got
}

// ask asks an API as whoever has the token.
func ask(ctx context.Context, method, url, token, body string) (status int, got map[string]any, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	err = json.NewDecoder(response.Body).Decode(&got)
	return response.StatusCode, got, err
}

func (b *bed) must(t testing.TB, method, path, body string) map[string]any {
	t.Helper()
	status, got := b.call(t, method, path, body)
	for end := time.Now().Add(limit); status == http.StatusServiceUnavailable && time.Now().Before(end); { // after a crash: ask again, as it says
		status, got = b.call(t, method, path, body)
	}
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %v", method, path, status, got)
	}
	return got
}

// consume reads and acknowledges pages of a consumer until there is nothing new.
func (b *bed) consume(t testing.TB, name string, limit int) (notes []string) {
	t.Helper()
	for {
		page := b.must(t, http.MethodGet, fmt.Sprintf("/consumers/%s/notes?limit=%d", name, limit), "")
		notes = append(notes, items(page)...)
		next, _ := page["next"].(string)
		if next == "" {
			return notes
		}
		b.must(t, http.MethodPost, "/consumers/"+name+"/acknowledge", fmt.Sprintf(`{"position": %q}`, next))
	}
}

// items are the notes of a consumer's page.
func items(page map[string]any) (notes []string) {
	for _, item := range page["items"].([]any) {
		n := item.(map[string]any)
		notes = append(notes, fmt.Sprintf("%v %v", n["subject"].(map[string]any)["ref"], n["seq"]))
	}
	return notes
}

func newStream(response *http.Response) *stream {
	return &stream{response: response, lines: bufio.NewReader(response.Body), cancel: func() {}}
}
