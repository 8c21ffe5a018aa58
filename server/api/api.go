package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"umpire/server/feed"
	"umpire/server/road"
	"umpire/server/telemetry"
)

// Options are what New needs. Engine and Catalogue are required.
type Options struct {
	Engine    Engine
	Catalogue *road.Catalogue

	// Log gets one line per request; nil: nothing is logged.
	Log *slog.Logger

	// Version is what GET /version says.
	Version Version

	// AllowedOrigins are the web origins whose pages may call the API; none: no CORS headers at all.
	AllowedOrigins []string

	// Feed is what GET /notes and the page /live follow; nil: there is no such path.
	Feed    *feed.Hub
	Streams StreamOptions

	// Consumers are the durable readers; nil: there is no such path.
	Consumers Consumers

	// BodyTimeout is how long the body of a command may take to arrive; 10 s when 0.
	BodyTimeout time.Duration
}

// API is the HTTP side of the road.
type API struct {
	engine      Engine
	log         *slog.Logger
	version     Version
	bodyTimeout time.Duration
	envelope    *schema
	reasons     reasons
	feed        *feed.Hub
	streams     streams
	consumers   Consumers
	current     atomic.Pointer[compiled]
	stopping    atomic.Bool
	mux         *http.ServeMux
	handler     http.Handler
}

// New makes the API. It fails when a schema of the catalogue cannot be compiled.
func New(o Options) (*API, error) {
	if o.Engine == nil || o.Catalogue == nil {
		return nil, errors.New("api: Engine and Catalogue are required")
	}
	setUpHuma()
	envelope, err := compileSchema("envelope", []byte(envelopeSchema))
	if err != nil {
		return nil, err
	}
	a := &API{
		engine: o.Engine, log: o.Log, version: o.Version, bodyTimeout: o.BodyTimeout,
		envelope: envelope, reasons: engineReasons(), mux: http.NewServeMux(),
		feed: o.Feed, streams: newStreams(o.Streams), consumers: o.Consumers,
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.bodyTimeout == 0 {
		a.bodyTimeout = 10 * time.Second
	}
	if err := a.SetCatalogue(o.Catalogue); err != nil {
		return nil, err
	}
	if err := a.register(); err != nil {
		return nil, err
	}
	a.handler = telemetry.Middleware(a.log, panicked)(crossOrigin(o.AllowedOrigins)(a.harden(http.HandlerFunc(a.route))))
	return a, nil
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Handle adds a handler of another part of the server, such as a stream, under the same middleware. Call it before the
// API serves.
func (a *API) Handle(pattern string, h http.Handler) { a.mux.Handle(pattern, h) }

// SetCatalogue takes a new catalogue into use, after an install. On an error the old one stays.
func (a *API) SetCatalogue(c *road.Catalogue) error {
	made, err := compile(c, DocumentOptions{Version: a.version.Version})
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	a.current.Store(made)
	return nil
}

// Stop makes GET /ready say that this server is going away. Everything else goes on.
func (a *API) Stop() { a.stopping.Store(true) }

func (a *API) register() error {
	// The command's path is plain net/http: no answer on it may be huma's, not even one to a body that cannot be read.
	a.mux.HandleFunc("POST "+commandPath, a.postCommand)

	// Documents are made from the catalogue (document.go), so huma keeps its own to itself.
	h := humago.New(a.mux, huma.Config{OpenAPI: &huma.OpenAPI{Info: &huma.Info{}}, Formats: huma.DefaultFormats})
	a.registerReads(h)
	a.registerSaved(h)
	a.registerHealth(h)

	a.mux.HandleFunc("GET /workflows", func(w http.ResponseWriter, r *http.Request) { a.current.Load().listing.serve(w, r) })
	a.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) { a.current.Load().openJSON.serve(w, r) })
	a.mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) { a.current.Load().openYAML.serve(w, r) })
	a.mux.Handle("GET /{$}", http.RedirectHandler("/docs", http.StatusFound))
	if a.consumers != nil {
		a.registerConsumers(h)
	}
	if a.feed != nil {
		a.mux.HandleFunc("GET /notes", a.getNotes)
		if err := registerLive(a.mux); err != nil {
			return err
		}
	}
	return registerDocs(a.mux)
}

// harden sets what every answer has.
func (a *API) harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
