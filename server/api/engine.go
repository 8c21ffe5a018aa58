package api

import (
	"context"
	"encoding/json"

	"umpire/server/road"
)

// Engine is what the API needs of the road; *road.Road is one.
type Engine interface {
	// Execute carries a command to its answer. There is always one, and it has the one body.
	Execute(ctx context.Context, c road.Command) road.Answer
	// Authenticate finds the sender of a bearer token. Errors: road.ErrUnknownSender, *road.UnavailableError.
	Authenticate(ctx context.Context, token string) (road.Sender, error)
	// Read reads a view of a subject for a sender, or for anybody when it is empty. Errors: road.ErrNotFound,
	// road.ErrNotAllowed, *road.BadArgumentError, *road.UnavailableError.
	Read(ctx context.Context, sender, kind, ref, view, cursor string, limit int) (json.RawMessage, error)
	// SavedCommand looks a command up under its key. Errors: road.ErrNotFound, *road.UnavailableError.
	SavedCommand(ctx context.Context, sender, key, actor string) (json.RawMessage, error)
	// Ready says why commands should not be sent here now; nil when they may.
	Ready(ctx context.Context) error
}
