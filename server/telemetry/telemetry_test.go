package telemetry

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func serve(t *testing.T, mux http.Handler, r *http.Request) (w *httptest.ResponseRecorder, lines []map[string]any, aborted bool) {
	t.Helper()
	var logged bytes.Buffer
	panicked := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	w = httptest.NewRecorder()
	func() {
		defer func() { aborted = recover() == http.ErrAbortHandler }()
		Middleware(slog.New(slog.NewJSONHandler(&logged, nil)), panicked)(mux).ServeHTTP(w, r)
	}()
	for line := range strings.Lines(logged.String()) {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, members)
	}
	return w, lines, aborted
}

func TestOneLinePerRequest(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		line := FromContext(r.Context())
		line.Sender, line.Subject, line.Outcome, line.Reason, line.Viewers = "desk", "board/b1", "refused", "not_legal", new(int)
		w.WriteHeader(http.StatusUnprocessableEntity)
	})
	r := httptest.NewRequest(http.MethodPost, "/things/SECRET1?token=SECRET2", strings.NewReader("SECRET3"))
	r.Header.Set("Authorization", "Bearer SECRET4")
	r.Header.Set(RequestIDHeader, "run-7:a.b_c")
	w, lines, _ := serve(t, mux, r)
	if len(lines) != 1 || w.Header().Get(RequestIDHeader) != "run-7:a.b_c" {
		t.Fatalf("%v %v", lines, w.Header())
	}
	for name, want := range map[string]any{
		"msg": "request", "level": "INFO", "request_id": "run-7:a.b_c", "method": "POST", "route": "POST /things/{id}", "status": float64(422),
		"sender": "desk", "subject": "board/b1", "outcome": "refused", "reason": "not_legal", "viewers": float64(0),
	} {
		if lines[0][name] != want {
			t.Errorf("%s is %v, want %v", name, lines[0][name], want)
		}
	}
	if _, ok := lines[0]["ms"].(float64); !ok {
		t.Errorf("no ms: %v", lines[0])
	}
	if text, _ := json.Marshal(lines); strings.Contains(string(text), "SECRET") {
		t.Errorf("%s", text)
	}
}

func TestRequestID(t *testing.T) {
	mux := http.NewServeMux()
	seen := map[string]bool{}
	for _, given := range []string{"", "with blank", "ünicode", "a\"b", strings.Repeat("a", 101), "<script>"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if given != "" {
			r.Header.Set(RequestIDHeader, given)
		}
		w, lines, _ := serve(t, mux, r)
		id := w.Header().Get(RequestIDHeader)
		if id == "" || id == given || seen[id] || lines[0]["request_id"] != id {
			t.Errorf("%q became %q, logged %v", given, id, lines)
		}
		if lines[0]["route"] != "none" || lines[0]["status"] != float64(404) {
			t.Errorf("%v", lines[0])
		}
		seen[id] = true
	}
}

func TestPanics(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /early", func(http.ResponseWriter, *http.Request) { panic("SECRET") })
	mux.HandleFunc("GET /index", func(http.ResponseWriter, *http.Request) { var none []int; _ = none[len(none)] })
	mux.HandleFunc("GET /late", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("half")); panic("SECRET") })
	mux.HandleFunc("GET /abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, c := range []struct {
		path    string
		status  int
		lines   int
		aborted bool
	}{{"/early", 500, 2, false}, {"/index", 500, 2, false}, {"/late", 200, 2, true}, {"/abort", 200, 1, true}} {
		w, lines, aborted := serve(t, mux, httptest.NewRequest(http.MethodGet, c.path, nil))
		if len(lines) != c.lines || aborted != c.aborted || w.Code != c.status {
			t.Errorf("%s: %d lines, aborted %v, status %d", c.path, len(lines), aborted, w.Code)
			continue
		}
		text, _ := json.Marshal(lines)
		if strings.Contains(string(text), "SECRET") || c.lines == 2 && !strings.Contains(lines[0]["stack"].(string), "TestPanics") {
			t.Errorf("%s: %s", c.path, text)
		}
		if lines[len(lines)-1]["msg"] != "request" {
			t.Errorf("%s: the last line is %v", c.path, lines[len(lines)-1])
		}
	}
}

// Streams reach the connection through the recorder.
func TestResponseController(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
	})
	if w, _, _ := serve(t, mux, httptest.NewRequest(http.MethodGet, "/", nil)); !w.Flushed {
		t.Error("not flushed")
	}
}

func TestNewLogger(t *testing.T) {
	var out bytes.Buffer
	for format, want := range map[string]string{"json": `"msg":"hello"`, "text": "msg=hello"} {
		out.Reset()
		log, err := NewLogger(&out, format, "info")
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("hidden")
		log.Info("hello")
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "hidden") {
			t.Errorf("%s: %s", format, out.String())
		}
	}
	for _, c := range [][2]string{{"xml", "info"}, {"json", "loud"}, {"", ""}} {
		if _, err := NewLogger(&out, c[0], c[1]); err == nil {
			t.Errorf("%v was taken", c)
		}
	}
}
