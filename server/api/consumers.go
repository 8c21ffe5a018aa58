package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/feed"
	"umpire/server/road"
	"umpire/server/telemetry"
)

// Consumers is what the API needs of the durable readers; *feed.Consumers is one. Errors: those of package feed.
type Consumers interface {
	List(ctx context.Context, sender string) (json.RawMessage, error)
	Create(ctx context.Context, sender, name string, fromStart bool, maxLag time.Duration) (json.RawMessage, error)
	Page(ctx context.Context, sender, name string, limit int, after, until string) (json.RawMessage, error)
	Acknowledge(ctx context.Context, sender, name, position string) (json.RawMessage, error)
	Rewind(ctx context.Context, sender, name, position string) (json.RawMessage, error)
	Drop(ctx context.Context, sender, name string) error
}

// ConsumerParameters name a consumer and who asks. Exported because huma passes over what is embedded and is not.
type ConsumerParameters struct {
	Consumer      string `path:"consumer" pattern:"^[a-z0-9][a-z0-9._-]{0,62}$"`
	Authorization string `header:"Authorization"`
}

type listConsumersInput struct {
	Authorization string `header:"Authorization"`
}

type createConsumerInput struct {
	ConsumerParameters
	Body struct {
		From    string `json:"from,omitempty" enum:"now,start" default:"now"`
		MaxLagS int64  `json:"max_lag_s,omitempty" minimum:"60" maximum:"2592000" default:"604800"`
	}
}

type consumerPageInput struct {
	ConsumerParameters
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	After string `query:"after" maxLength:"100"`
	Until string `query:"until" maxLength:"100"`
}

type acknowledgeInput struct {
	ConsumerParameters
	Body struct {
		Position string `json:"position" minLength:"1" maxLength:"100"`
	}
}

type rewindInput struct {
	ConsumerParameters
	Body struct {
		Position string `json:"position" minLength:"1" maxLength:"100"`
	}
}

type consumerOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

// startPosition stands for the oldest note that is kept.
const startPosition = "start"

func (a *API) registerConsumers(h huma.API) {
	on := func(method, path, id string) huma.Operation {
		return huma.Operation{Method: method, Path: path, OperationID: id, Hidden: true, MaxBodyBytes: 4096, BodyReadTimeout: a.bodyTimeout}
	}
	huma.Register(h, on(http.MethodGet, "/consumers", "consumer-list"), func(ctx context.Context, in *listConsumersInput) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			list, err := a.consumers.List(ctx, sender)
			if err != nil {
				return nil, err
			}
			return json.Marshal(map[string]json.RawMessage{"items": list})
		})
	})
	huma.Register(h, on(http.MethodPut, "/consumers/{consumer}", "consumer-create"), func(ctx context.Context, in *createConsumerInput) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			return a.consumers.Create(ctx, sender, in.Consumer, in.Body.From == startPosition, time.Duration(in.Body.MaxLagS)*time.Second)
		})
	})
	huma.Register(h, on(http.MethodGet, "/consumers/{consumer}/notes", "consumer-notes"), func(ctx context.Context, in *consumerPageInput) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			return a.consumers.Page(ctx, sender, in.Consumer, in.Limit, in.After, in.Until)
		})
	})
	huma.Register(h, on(http.MethodPost, "/consumers/{consumer}/acknowledge", "consumer-acknowledge"), func(ctx context.Context, in *acknowledgeInput) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			return a.consumers.Acknowledge(ctx, sender, in.Consumer, in.Body.Position)
		})
	})
	huma.Register(h, on(http.MethodPost, "/consumers/{consumer}/rewind", "consumer-rewind"), func(ctx context.Context, in *rewindInput) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			position := in.Body.Position
			if position == startPosition {
				position = ""
			}
			return a.consumers.Rewind(ctx, sender, in.Consumer, position)
		})
	})
	huma.Register(h, on(http.MethodDelete, "/consumers/{consumer}", "consumer-drop"), func(ctx context.Context, in *ConsumerParameters) (*consumerOutput, error) {
		return a.asConsumer(ctx, in.Authorization, func(sender string) (json.RawMessage, error) {
			return json.RawMessage(`{"dropped":true}`), a.consumers.Drop(ctx, sender, in.Consumer)
		})
	})
}

// asConsumer finds the sender, which must be one that may read logs, and passes on what the database says. The database
// checks the right again.
func (a *API) asConsumer(ctx context.Context, authorization string, do func(sender string) (json.RawMessage, error)) (*consumerOutput, error) {
	sender, wrong := a.whoSends(ctx, authorization)
	if wrong != nil {
		return nil, wrong.problem()
	}
	telemetry.FromContext(ctx).Sender = sender.Name
	if !sender.MayReadLog {
		return nil, newProblem(http.StatusForbidden, reasonNotAllowed, "Consumers are for senders that may read logs.")
	}
	body, err := do(sender.Name)
	var stale *feed.StaleError
	var expired *feed.GoneError
	var bad *feed.BadError
	switch {
	case err == nil:
		return &consumerOutput{ContentType: "application/json", CacheControl: "no-store", Body: body}, nil
	case errors.As(err, &stale):
		return nil, newProblem(http.StatusConflict, reasonNeedsRebase, stale.Message)
	case errors.As(err, &expired):
		return nil, newProblem(http.StatusGone, "position_gone", expired.Message)
	case errors.As(err, &bad):
		return nil, newProblem(http.StatusBadRequest, reasonBadInput, bad.Message)
	case errors.Is(err, feed.ErrNotAllowed), errors.Is(err, feed.ErrNoSender):
		return nil, newProblem(http.StatusForbidden, reasonNotAllowed, "Consumers are for senders that may read logs.")
	case errors.Is(err, feed.ErrUnavailable):
		return nil, unavailableProblem("not_sent", &road.UnavailableError{Reason: "not_sent", RetryAfter: time.Second})
	case errors.Is(err, feed.ErrNoConsumer):
		return nil, newProblem(http.StatusNotFound, "not_found", "There is no such consumer of this sender.")
	}
	a.log.ErrorContext(ctx, "a consumer's request failed", "cause", err)
	return nil, newProblem(http.StatusInternalServerError, reasonInternal, "The server failed.")
}
