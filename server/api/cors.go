package api

import (
	"net/http"

	"github.com/rs/cors"

	"umpire/server/telemetry"
)

// crossOrigin lets the pages of the given origins call the API; with none it does nothing (the library would let all in).
func crossOrigin(origins []string) func(http.Handler) http.Handler {
	if len(origins) == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Authorization", "Content-Type", keyHeader, "If-None-Match", "Last-Event-ID", telemetry.RequestIDHeader},
		ExposedHeaders: []string{"ETag", "Retry-After", replayedHeader, telemetry.RequestIDHeader},
		MaxAge:         600,
	}).Handler
}
