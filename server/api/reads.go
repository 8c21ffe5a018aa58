package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/road"
	"umpire/server/telemetry"
)

// ReadParameters is what every read takes. Exported because huma passes over what is embedded and is not.
type ReadParameters struct {
	Kind          string `path:"kind"`
	Ref           string `path:"ref"`
	Cursor        string `query:"cursor" maxLength:"1000"`
	Limit         int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	IfNoneMatch   string `header:"If-None-Match"`
	Authorization string `header:"Authorization"`
}

type viewInput struct {
	ReadParameters
	View string `path:"view"`
}

// readOutput carries bytes: the database's answer is passed on as it came.
type readOutput struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

const stateView = "state"

func (a *API) registerReads(h huma.API) {
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/subjects/{kind}/{ref}", OperationID: "read-state", Hidden: true},
		func(ctx context.Context, in *ReadParameters) (*readOutput, error) { return a.read(ctx, in, stateView) })
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/subjects/{kind}/{ref}/{view}", OperationID: "read-view", Hidden: true},
		func(ctx context.Context, in *viewInput) (*readOutput, error) {
			return a.read(ctx, &in.ReadParameters, in.View)
		})
}

func (a *API) read(ctx context.Context, in *ReadParameters, name string) (*readOutput, error) {
	view, known := a.current.Load().views[viewName{in.Kind, name}]
	if !known || !isRef(in.Ref) {
		return nil, notThere()
	}
	in.Ref = plainRef(in.Ref)
	line := telemetry.FromContext(ctx)
	line.Subject = in.Kind + "/" + in.Ref
	cacheControl, reader := "no-cache", ""
	if !view.Open {
		sender, err := a.readerOfClosed(ctx, in)
		if err != nil {
			return nil, err
		}
		reader = sender
		cacheControl = "private, no-cache"
	}
	content, err := a.engine.Read(ctx, reader, in.Kind, in.Ref, name, in.Cursor, in.Limit)
	if err != nil {
		return nil, readProblem(err)
	}
	etag, err := etagOfView(name, content)
	if err != nil {
		return nil, newProblem(http.StatusInternalServerError, reasonInternal, "The server failed.")
	}
	out := &readOutput{Status: http.StatusOK, ContentType: "application/json", ETag: etag, CacheControl: cacheControl, Body: content}
	if matches(in.IfNoneMatch, etag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

// readerOfClosed asks for a sender who may read logs. Whether this subject is of one of its events the database says.
func (a *API) readerOfClosed(ctx context.Context, in *ReadParameters) (string, error) {
	sender, wrong := a.whoSends(ctx, in.Authorization)
	if wrong != nil {
		return "", wrong.problem()
	}
	telemetry.FromContext(ctx).Sender = sender.Name
	if !sender.MayReadLog {
		return "", newProblem(http.StatusForbidden, reasonNotAllowed, "The sender may not read logs.")
	}
	return sender.Name, nil
}

// etagOfView is the subject's revision for its state, so that it can be given back as If-Match. Of other views it is made
// from all but the feed position, which moves with every command anywhere.
func etagOfView(view string, content []byte) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(content, &members); err != nil {
		return "", err
	}
	if revision := members["revision"]; view == stateView && len(revision) > 2 {
		return string(revision), nil
	}
	delete(members, "position")
	rest, err := json.Marshal(members) // sorted by name
	if err != nil {
		return "", err
	}
	return etagOf(rest), nil
}

func notThere() *problem {
	return newProblem(http.StatusNotFound, "not_found", "There is no such kind, subject or view; GET /workflows lists kinds and views.")
}

// readProblem puts the road's errors into RFC 9457. Only messages that the road vouches for are repeated.
func readProblem(err error) error {
	var bad *road.BadArgumentError
	var unavailable *road.UnavailableError
	switch {
	case errors.Is(err, road.ErrNotFound):
		return notThere()
	case errors.Is(err, road.ErrNotAllowed):
		return newProblem(http.StatusForbidden, reasonNotAllowed, "The sender may not read this view of this subject.")
	case errors.As(err, &bad):
		return newProblem(http.StatusBadRequest, reasonBadInput, bad.Message)
	case errors.As(err, &unavailable):
		return unavailableProblem(unavailable.Reason, unavailable)
	}
	return newProblem(http.StatusInternalServerError, reasonInternal, "The server failed.")
}

func unavailableProblem(code string, cause *road.UnavailableError) error {
	p := newProblem(http.StatusServiceUnavailable, code, "The database could not answer; ask again.")
	return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {retryAfter(cause.RetryAfter)}})
}

// problem is the verdict for those who do not send commands.
func (v *verdict) problem() error {
	p := newProblem(v.status, v.reason.Code, v.reason.Message)
	header := http.Header{}
	for name, values := range v.header {
		header[name] = values
	}
	if v.outcome == road.TryAgain {
		header.Set("Retry-After", retryAfter(v.retry))
	}
	if len(header) == 0 {
		return p
	}
	return huma.ErrorWithHeaders(p, header)
}
