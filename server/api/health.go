package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Version is what GET /version says of the server and its database.
type Version struct {
	Version   string `json:"version"`   // of the build
	CodeHash  string `json:"code_hash"` // of the functions package that the server carries
	Migration int    `json:"migration"` // the newest one that is applied
	Durable   bool   `json:"durable"`   // false: a throwaway database, gone with the server
	Postgres  string `json:"postgres"`  // the database's version
}

type healthOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Status string `json:"status"`
	}
}

type versionOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         Version
}

// readyTimeout bounds how long the database may take to say that it is there.
const readyTimeout = 3 * time.Second

func (a *API) registerHealth(h huma.API) {
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/health", OperationID: "health", Hidden: true},
		func(context.Context, *struct{}) (*healthOutput, error) { return well(), nil })
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/ready", OperationID: "ready", Hidden: true},
		func(ctx context.Context, _ *struct{}) (*healthOutput, error) {
			if a.stopping.Load() {
				return nil, newProblem(http.StatusServiceUnavailable, "stopping", "This server is stopping.")
			}
			ctx, cancel := context.WithTimeout(ctx, readyTimeout)
			defer cancel()
			if err := a.engine.Ready(ctx); err != nil {
				a.log.WarnContext(ctx, "not ready", "cause", err) // the road keeps the driver's text to itself
				return nil, newProblem(http.StatusServiceUnavailable, "not_ready", "The database does not answer, or takes no changes.")
			}
			return well(), nil
		})
	huma.Register(h, huma.Operation{Method: http.MethodGet, Path: "/version", OperationID: "version", Hidden: true},
		func(context.Context, *struct{}) (*versionOutput, error) {
			return &versionOutput{CacheControl: "no-store", Body: a.version}, nil
		})
}

func well() *healthOutput {
	out := &healthOutput{CacheControl: "no-store"}
	out.Body.Status = "ok"
	return out
}
