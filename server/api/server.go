package api

import (
	"log/slog"
	"net/http"
	"time"
)

// Server makes an http.Server with limits for every wait.
//
// ReadTimeout covers a request from its first byte; a command clears that deadline once its body is there, because a
// deadline that passes later cancels the request and spoils the connection for the next ones. A handler that answers for
// longer (a stream) has to clear it, and the write deadline too, with http.ResponseController.
func Server(address string, h http.Handler, log *slog.Logger) *http.Server {
	s := &http.Server{
		Addr: address, Handler: h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2 * time.Minute, // longer than any command: an import may wait 15 s and run 30 s
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	if log != nil {
		s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	}
	return s
}
