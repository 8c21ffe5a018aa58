package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/road"
	"umpire/server/telemetry"
)

type savedInput struct {
	Key           string `path:"key"`
	Actor         string `query:"actor"`
	Authorization string `header:"Authorization"`
}

type savedOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

func (a *API) registerSaved(h huma.API) {
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/commands/{key}", OperationID: "was-it-saved", Hidden: true}, a.saved)
}

// saved answers "was it saved?" for a sender's own keys.
func (a *API) saved(ctx context.Context, in *savedInput) (*savedOutput, error) {
	sender, wrong := a.whoSends(ctx, in.Authorization)
	if wrong != nil {
		return nil, wrong.problem()
	}
	telemetry.FromContext(ctx).Sender = sender.Name
	notSaved := newProblem(http.StatusNotFound, "not_saved",
		"No command is saved under this key (yet): send it again, under the same key. It is applied once, however often it is sent.")
	if !isKey(in.Key) || in.Actor != "" && !isKey(in.Actor) {
		return nil, notSaved
	}
	content, err := a.engine.SavedCommand(ctx, sender.Name, in.Key, in.Actor)
	switch {
	case errors.Is(err, road.ErrNotFound):
		return nil, notSaved
	case err != nil:
		return nil, readProblem(err)
	}
	return &savedOutput{ContentType: "application/json", CacheControl: "no-store", Body: content}, nil
}
