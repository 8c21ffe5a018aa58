package api

import (
	"embed"
	"fmt"
	"net/http"
)

//go:embed live
var live embed.FS

// livePolicy: nothing from elsewhere, no script or style but the page's own files.
const livePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// registerLive serves the page that shows fixtures as they are being played.
func registerLive(mux *http.ServeMux) error {
	html, err := live.ReadFile("live/live.html")
	if err != nil {
		return fmt.Errorf("live page: %w", err)
	}
	shown := newDocument("text/html; charset=utf-8", html)
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", livePolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		shown.serve(w, r)
	})
	for _, name := range []string{"live/live.css", "live/live.js"} {
		served, err := newAsset(live, name)
		if err != nil {
			return fmt.Errorf("live page: %w", err)
		}
		mux.HandleFunc("GET /live/"+served.name, served.serve)
	}
	return nil
}
