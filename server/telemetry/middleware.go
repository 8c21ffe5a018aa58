package telemetry

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Middleware gives each request an id and logs one line when it is done. A panic is logged with its stack and answered
// by panicked, unless the response has begun; then the connection is cut, so that no half answer looks whole.
func Middleware(log *slog.Logger, panicked http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun := time.Now()
			line := &Line{RequestID: requestID(r)}
			w.Header().Set(RequestIDHeader, line.RequestID)
			r = r.WithContext(withLine(r.Context(), line))
			seen := &recorder{ResponseWriter: w}

			// The line is logged whatever happens, also when the connection is cut.
			defer logLine(log, r, seen, line, begun)
			defer func() {
				cause := recover()
				if cause == nil {
					return
				}
				if cause == http.ErrAbortHandler {
					panic(cause)
				}
				log.Error("panic", "request_id", line.RequestID, "cause", describe(cause), "stack", string(debug.Stack()))
				if seen.status != 0 {
					panic(http.ErrAbortHandler)
				}
				panicked(seen, r)
			}()
			next.ServeHTTP(seen, r)
		})
	}
}

// describe names the cause of a panic. What a panic carries may hold values of a body, so only run-time errors, whose
// text is Go's own, are repeated; the stack says the rest.
func describe(cause any) string {
	if err, ok := cause.(interface{ RuntimeError() }); ok {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%T", cause)
}

func logLine(log *slog.Logger, r *http.Request, seen *recorder, line *Line, begun time.Time) {
	attributes := []slog.Attr{
		slog.String("request_id", line.RequestID),
		slog.String("method", r.Method),
		slog.String("route", route(r)),
		slog.Int("status", seen.sent()),
	}
	for _, a := range [...][2]string{{"sender", line.Sender}, {"subject", line.Subject}, {"outcome", line.Outcome}, {"reason", line.Reason}} {
		if a[1] != "" {
			attributes = append(attributes, slog.String(a[0], a[1]))
		}
	}
	if line.Viewers != nil {
		attributes = append(attributes, slog.Int("viewers", *line.Viewers))
	}
	attributes = append(attributes, slog.Float64("ms", float64(time.Since(begun).Microseconds())/1000))
	level := slog.LevelInfo
	if seen.sent() >= http.StatusInternalServerError {
		level = slog.LevelWarn
	}
	log.LogAttrs(r.Context(), level, "request", attributes...)
}

// route is the pattern that matched, never the path: a path may hold what nobody wants in a log.
func route(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	return r.Pattern
}
