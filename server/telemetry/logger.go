package telemetry

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLogger makes the server's logger. Format is "json" or "text", level "debug", "info", "warn" or "error".
func NewLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var at slog.Level
	if err := at.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: at}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	}
	return nil, fmt.Errorf("log format %q: json or text", format)
}
