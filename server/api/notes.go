package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"time"

	"umpire/server/feed"
	"umpire/server/road"
	"umpire/server/telemetry"
)

// streams are the limits of GET /notes.
type streams struct {
	heartbeat time.Duration // a comment after so much silence: proxies and phones give up on silent connections
	write     time.Duration // how long one write may take before the viewer is dropped
	recheck   time.Duration // how often a viewer's token is looked at again
	places    chan struct{} // one per viewer
}

func newStreams(o StreamOptions) streams {
	s := streams{heartbeat: o.Heartbeat, write: o.WriteTimeout, recheck: o.Recheck}
	if s.heartbeat == 0 {
		s.heartbeat = 15 * time.Second
	}
	if s.write == 0 {
		s.write = 10 * time.Second
	}
	if s.recheck == 0 {
		s.recheck = 30 * time.Second
	}
	if o.MaxViewers == 0 {
		o.MaxViewers = 10_000
	}
	s.places = make(chan struct{}, o.MaxViewers)
	return s
}

// StreamOptions are the limits of the live stream. Zero values mean the defaults.
type StreamOptions struct {
	Heartbeat    time.Duration // 15 s
	WriteTimeout time.Duration // 10 s
	Recheck      time.Duration // 30 s
	MaxViewers   int           // 10,000
}

// noteFilter is which notes a viewer asked for; an empty list means all.
type noteFilter struct {
	events, fixtures, kinds []string
}

const maxFilters = 100

// readFilter takes the filter out of a query. Each parameter may be there several times.
func readFilter(query url.Values) (noteFilter, error) {
	f := noteFilter{events: query["event"], fixtures: query["fixture"], kinds: query["kind"]}
	for name := range query {
		if !slices.Contains([]string{"event", "fixture", "kind", "after"}, name) {
			return f, errors.New("there is no such parameter; there are event, fixture, kind and after")
		}
	}
	if len(f.events)+len(f.fixtures)+len(f.kinds) > maxFilters || len(query["after"]) > 1 {
		return f, fmt.Errorf("at most %d of event, fixture and kind together, and one after", maxFilters)
	}
	for _, ref := range slices.Concat(f.events, f.fixtures) {
		if !isRef(ref) {
			return f, errors.New("event and fixture are references")
		}
	}
	for _, kind := range f.kinds {
		if !isName(kind) {
			return f, errors.New("kind is a kind of subject")
		}
	}
	return f, nil
}

func (f noteFilter) wants(n *feed.Note) bool {
	return (len(f.events) == 0 || slices.Contains(f.events, n.Event)) &&
		(len(f.fixtures) == 0 || n.Kind == "fixture" && (slices.Contains(f.fixtures, n.Ref) || slices.Contains(f.fixtures, n.SubjectID))) &&
		(len(f.kinds) == 0 || slices.Contains(f.kinds, n.Kind))
}

// maySee says whether a viewer may see a note, in replay as well as live: everybody those of kinds whose state is open to
// everybody, a sender that may read logs those of its events too.
func (a *API) maySee(n *feed.Note, viewer *road.Sender) bool {
	if view, known := a.current.Load().views[viewName{n.Kind, stateView}]; known && view.Open {
		return true
	}
	return viewer != nil && viewer.MayReadLog && (viewer.Events == nil || slices.Contains(viewer.Events, n.Event))
}

// getNotes is the live stream.
func (a *API) getNotes(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	filter, err := readFilter(query)
	if err != nil {
		writeProblem(w, newProblem(http.StatusBadRequest, reasonBadInput, err.Error()))
		return
	}
	var sender *road.Sender
	if r.Header.Get("Authorization") != "" {
		s, wrong := a.whoSends(r.Context(), r.Header.Get("Authorization"))
		if wrong != nil {
			for name, values := range wrong.header {
				w.Header()[name] = values
			}
			if wrong.outcome == road.TryAgain {
				w.Header().Set("Retry-After", retryAfter(wrong.retry))
			}
			writeProblem(w, newProblem(wrong.status, wrong.reason.Code, wrong.reason.Message))
			return
		}
		sender = &s
		telemetry.FromContext(r.Context()).Sender = s.Name
	}
	unavailable := func(code, detail string) {
		w.Header().Set("Retry-After", "2")
		writeProblem(w, newProblem(http.StatusServiceUnavailable, code, detail))
	}
	select {
	case <-a.feed.Stopping():
		unavailable("stopping", "This server is stopping.")
		return
	default:
	}
	select {
	case a.streams.places <- struct{}{}:
		defer func() { <-a.streams.places }()
	default:
		unavailable(reasonBusyViewers, "This server has as many viewers as it takes.")
		return
	}
	// The header knows more than the address, which a browser sends unchanged when it comes back by itself.
	position := r.Header.Get("Last-Event-ID")
	if position == "" {
		position = query.Get("after")
	}
	viewer, reload, err := a.feed.View(r.Context(), position)
	switch {
	case errors.Is(err, feed.ErrRebase):
		unavailable(reasonNeedsRebase, "The database was restored into another cluster; the operator has to run: umpire ops rebase.")
		return
	case err != nil:
		unavailable("not_ready", "The database does not answer yet.")
		return
	}
	defer func() {
		viewer.Close()
		left := a.feed.Stats().Viewers
		telemetry.FromContext(r.Context()).Viewers = &left
	}()

	s := &stream{limits: a.streams, to: w, control: http.NewResponseController(w)}
	_ = s.control.SetReadDeadline(time.Time{}) // the server's own would cut a quiet stream
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store, no-transform")
	header.Set("X-Accel-Buffering", "no")
	header.Set("Content-Encoding", "identity") // whoever compresses on the way leaves alone what says how it is encoded
	w.WriteHeader(http.StatusOK)
	a.follow(r, s, viewer, filter, sender, reload)
}

const (
	reasonNeedsRebase = "needs_rebase"
	reasonBusyViewers = "too_many_viewers"
)

// follow writes the stream until the viewer is gone, too slow, or the server stops.
func (a *API) follow(r *http.Request, s *stream, viewer *feed.Viewer, filter noteFilter, sender *road.Sender, reload feed.Reload) {
	ctx := r.Context()
	s.raw(fmt.Sprintf("retry: %d\n", 1000+rand.IntN(1000)))
	s.frame("hello", fmt.Sprintf(`{"position":%q,"heartbeat_s":%g}`, viewer.Position(), s.limits.heartbeat.Seconds()))
	heartbeat := time.NewTicker(s.limits.heartbeat)
	defer heartbeat.Stop()
	recheck := time.NewTicker(s.limits.recheck)
	defer recheck.Stop()
	for {
		if reload != "" {
			s.frame("reload", fmt.Sprintf(`{"reason":%q,"position":%q}`, reload, viewer.Position()))
			reload = ""
		}
		if !s.flush() {
			return
		}
		notes, more, why, err := viewer.Next(ctx)
		switch {
		case errors.Is(err, feed.ErrRebase):
			s.bye(reasonNeedsRebase, 30*time.Second)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			s.bye("database_unavailable", 2*time.Second)
			return
		}
		if reload = why; reload != "" {
			continue
		}
		sent := 0
		for _, n := range notes {
			if filter.wants(n) && a.maySee(n, sender) {
				s.note(n)
				sent++
			}
			if s.size() > 64<<10 && !s.flush() {
				return
			}
		}
		if len(notes) > 0 {
			// Between two pages: is it time to stop?
			select {
			case <-a.feed.Stopping():
				s.bye("stopping", time.Second)
				return
			case <-recheck.C:
				if !a.stillMay(ctx, r, sender) {
					s.bye("token", 5*time.Second)
					return
				}
			default:
			}
			if sent > 0 {
				heartbeat.Reset(s.limits.heartbeat)
			}
			continue
		}
		if more == nil {
			continue // a page of a replay that had nothing for us
		}
		select {
		case <-ctx.Done():
			return
		case <-a.feed.Stopping():
			s.bye("stopping", time.Second)
			return
		case <-recheck.C:
			if !a.stillMay(ctx, r, sender) {
				s.bye("token", 5*time.Second)
				return
			}
		case <-heartbeat.C:
			s.raw(": still here\n\n")
		case <-more:
		}
	}
}

// stillMay looks at the viewer's token again, and takes over what it may do now.
func (a *API) stillMay(ctx context.Context, r *http.Request, sender *road.Sender) bool {
	if sender == nil {
		return true
	}
	now, wrong := a.whoSends(ctx, r.Header.Get("Authorization"))
	if wrong != nil {
		return wrong.outcome == road.TryAgain // the database is away, which is no answer
	}
	*sender = now
	return true
}

// stream writes server-sent events. What is written is collected and goes out with flush, bounded by a deadline: whoever
// does not take it in time is dropped, and nobody else waits.
type stream struct {
	limits  streams
	to      http.ResponseWriter
	control *http.ResponseController
	buffer  bytes.Buffer
}

func (s *stream) raw(text string) { s.buffer.WriteString(text) }
func (s *stream) size() int       { return s.buffer.Len() }

// frame is a control frame: without an id, so that it never moves the position.
func (s *stream) frame(event, data string) {
	fmt.Fprintf(&s.buffer, "event: %s\ndata: %s\n\n", event, data)
}

// note is written once for each viewer, so nothing is formatted here.
func (s *stream) note(n *feed.Note) {
	for _, part := range [...]string{"id: ", n.Position(), "\nevent: note\ndata: "} {
		s.buffer.WriteString(part)
	}
	s.buffer.Write(n.Data())
	s.buffer.WriteString("\n\n")
}

// bye ends the stream with a hint when to come back; a little chance keeps a thousand viewers from coming at once.
func (s *stream) bye(reason string, after time.Duration) {
	ms := after.Milliseconds() + rand.Int64N(1000)
	s.raw(fmt.Sprintf("retry: %d\n", ms))
	s.frame("bye", fmt.Sprintf(`{"reason":%q,"retry_ms":%d}`, reason, ms))
	s.flush()
}

// flush says whether the viewer is still there.
func (s *stream) flush() bool {
	if s.buffer.Len() == 0 {
		return true
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(s.limits.write)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return false
	}
	_, err := s.to.Write(s.buffer.Bytes())
	s.buffer.Reset()
	if s.buffer.Cap() > 16<<10 {
		s.buffer = bytes.Buffer{}
	}
	return err == nil && s.control.Flush() == nil
}
