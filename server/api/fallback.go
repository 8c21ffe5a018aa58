package api

import (
	"net/http"
	"path"
	"strings"

	"umpire/server/road"
	"umpire/server/telemetry"
)

// route serves what the mux knows. What it does not know (404, 405) it would answer in plain text, and a path that is not
// clean it would redirect, which turns a POST into a GET: both are answered here, in the shape of their place.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	escaped := r.URL.EscapedPath()
	if handler, pattern := a.mux.Handler(r); pattern == "" || !isClean(escaped) {
		refused := &probe{header: http.Header{}}
		if pattern == "" {
			handler.ServeHTTP(refused, r)
		}
		notRouted(w, r, refused)
		return
	}
	a.mux.ServeHTTP(w, r)
}

func isClean(escaped string) bool {
	cleaned := path.Clean(escaped)
	return escaped == cleaned || escaped == cleaned+"/"
}

func notRouted(w http.ResponseWriter, r *http.Request, refused *probe) {
	wrongMethod := refused.status == http.StatusMethodNotAllowed
	if allowed := refused.header.Get("Allow"); wrongMethod && allowed != "" {
		w.Header().Set("Allow", allowed)
	}
	if onCommandPath(r) {
		v := unknownCommand()
		if wrongMethod {
			v = refuse(http.StatusMethodNotAllowed, reasonWrongMethod, "Commands are sent with POST.")
		}
		line := telemetry.FromContext(r.Context())
		line.Outcome, line.Reason = string(road.Refused), v.reason.Code
		writeVerdict(w, v, namedInURL(r))
		return
	}
	if wrongMethod {
		writeProblem(w, newProblem(http.StatusMethodNotAllowed, reasonWrongMethod, "This path does not take this method; see Allow."))
		return
	}
	writeProblem(w, newProblem(http.StatusNotFound, "not_found", "There is nothing under this path; see /docs."))
}

// panicked answers a request whose handler broke. Nothing was sent yet.
func panicked(w http.ResponseWriter, r *http.Request) {
	if onCommandPath(r) {
		v := internalError()
		line := telemetry.FromContext(r.Context())
		line.Outcome, line.Reason = string(v.outcome), v.reason.Code
		writeVerdict(w, v, namedInURL(r))
		return
	}
	writeProblem(w, newProblem(http.StatusInternalServerError, reasonInternal, "The server failed."))
}

// onCommandPath: whoever talks to such a path expects the one body, also when it is not quite the right one.
func onCommandPath(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/workflows/") && strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/commands")
}

// namedInURL is namedInPath for a request that no pattern matched.
func namedInURL(r *http.Request) (about named) {
	if key, ok := keyOfHeader(r); ok {
		about.key = key
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) != 6 {
		return about
	}
	if isName(parts[1]) {
		about.workflow = parts[1]
	}
	if isName(parts[3]) {
		about.kind = parts[3]
	}
	if isRef(parts[4]) {
		about.ref = parts[4]
	}
	return about
}

// probe takes what the mux would have answered.
type probe struct {
	header http.Header
	status int
}

// Header is where Allow arrives.
func (p *probe) Header() http.Header { return p.header }

// Write drops the text.
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader takes the status.
func (p *probe) WriteHeader(status int) { p.status = status }
