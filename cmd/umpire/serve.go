package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/api"
	"umpire/server/feed"
	"umpire/server/jobs"
	"umpire/server/postgres"
	"umpire/server/road"
	"umpire/server/telemetry"
)

type serveCommand struct {
	config

	Migrate bool `env:"UMPIRE_MIGRATE" help:"Bring a database given by URL to this binary's migrations and functions first. A database of our own is always brought there."`
}

func (c *serveCommand) Run(ctx context.Context, _ io.Writer) error {
	log, err := telemetry.NewLogger(os.Stderr, c.LogFormat, c.LogLevel)
	if err != nil {
		return err
	}
	database, err := openDatabase(ctx, c.database, postgres.Options{}, c.Migrate)
	if err != nil {
		return err
	}
	defer closeDatabase(ctx, database, log)
	server, err := startServer(ctx, &c.config, database, log)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "serving", "address", server.url(), "postgres", database.Origin, "durable", database.Durable)
	return server.serveUntil(ctx)
}

// openDatabase finds or brings a Postgres and brings it to this binary's migrations and functions when it is ours, or when
// told to.
func openDatabase(ctx context.Context, d database, o postgres.Options, migrate bool) (*postgres.Cluster, error) {
	o.URL, o.AllowInstall, o.Log = d.DatabaseURL, true, progress
	cluster, err := postgres.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("finding a Postgres: %w", err)
	}
	if cluster.Origin == postgres.OriginURL && !migrate {
		return cluster, nil
	}
	if _, err := postgres.Migrate(ctx, cluster.URL, postgres.MigrateOptions{Log: progress}); err != nil {
		return nil, errors.Join(fmt.Errorf("migrating: %w", err), cluster.Close(context.WithoutCancel(ctx)))
	}
	return cluster, nil
}

func closeDatabase(ctx context.Context, cluster *postgres.Cluster, log *slog.Logger) {
	if err := cluster.Close(context.WithoutCancel(ctx)); err != nil {
		log.ErrorContext(ctx, "stopping Postgres", "cause", err)
	}
}

// server is a serving process: the road, the API on it, and the listener.
type server struct {
	config   *config
	log      *slog.Logger
	road     *road.Road
	feed     *feed.Hub
	jobs     *jobs.Runner
	api      *api.API
	http     *http.Server
	listener net.Listener
	served   chan error
}

// startServer checks that database and binary belong together, opens the pools, and begins to serve.
func startServer(ctx context.Context, c *config, cluster *postgres.Cluster, log *slog.Logger) (*server, error) {
	state, err := checkDatabase(ctx, cluster)
	if err != nil {
		return nil, err
	}
	hub, err := feed.Open(ctx, feed.Options{URL: cluster.URL, Log: log})
	if err != nil {
		return nil, err
	}
	r, err := road.Open(ctx, road.Options{
		Accepted:  func(string, string) { hub.Wake() },
		Demoted:   hub.Reset,
		URL:       cluster.URL,
		Log:       log,
		Command:   road.PoolOptions{MaxConns: c.CommandConns},
		Import:    road.PoolOptions{MaxConns: c.ImportConns},
		Read:      road.PoolOptions{MaxConns: c.ReadConns},
		Work:      road.PoolOptions{MaxConns: c.WorkConns},
		Admission: road.AdmissionOptions{PerSubject: c.PerSubject},
	})
	if err != nil {
		hub.Close()
		return nil, err
	}
	catalogue, err := r.LoadCatalogue(ctx)
	if err != nil {
		hub.Close()
		r.Close()
		return nil, err
	}
	a, err := api.New(api.Options{
		Feed: hub, Consumers: feed.NewConsumers(r.Pool(road.WorkPool)),
		Engine: r, Catalogue: catalogue, Log: log, AllowedOrigins: c.CORSOrigins,
		Version: api.Version{
			Version: version, CodeHash: state.CodeHash, Migration: int(state.Migration),
			Durable: cluster.Durable, Postgres: fmt.Sprintf("%d.%d", cluster.Version/10000, cluster.Version%10000),
		},
	})
	if err != nil {
		hub.Close()
		r.Close()
		return nil, err
	}
	listener, err := (&net.ListenConfig{Control: dropVanished}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		hub.Close()
		r.Close()
		return nil, fmt.Errorf("listening (choose another address with --listen): %w", err)
	}
	s := &server{config: c, log: log, road: r, feed: hub, jobs: jobs.Start(ctx, log, jobs.Feeds(r.Pool(road.WorkPool), log, c.KeepNotes)...), api: a, http: api.Server(c.Listen, a, log), listener: listener, served: make(chan error, 1)}
	go func() {
		if c.TLSCert != "" {
			s.served <- s.http.ServeTLS(listener, c.TLSCert, c.TLSKey)
			return
		}
		s.served <- s.http.Serve(listener)
	}()
	return s, nil
}

// checkDatabase compares the database with what this binary carries; the error says which side is old.
func checkDatabase(ctx context.Context, cluster *postgres.Cluster) (postgres.State, error) {
	conn, err := pgx.Connect(ctx, cluster.URL)
	if err != nil {
		return postgres.State{}, fmt.Errorf("connecting to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	state, err := postgres.Check(ctx, conn)
	if err != nil {
		return state, fmt.Errorf("this server and the database do not belong together: %w", err)
	}
	return state, nil
}

// url is where people reach the server from this machine.
func (s *server) url() string {
	scheme := "http"
	if s.config.TLSCert != "" {
		scheme = "https"
	}
	host := "127.0.0.1"
	address := s.listener.Addr().(*net.TCPAddr)
	if !address.IP.IsUnspecified() {
		host = address.IP.String()
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(address.Port))
}

// serveUntil serves until ctx ends, then stops gracefully: readiness fails first, commands under way get their answers,
// new ones are told to try again, then the listener and the pools close.
func (s *server) serveUntil(ctx context.Context) error {
	defer s.road.Close()
	defer s.feed.Close()
	defer s.jobs.Stop()
	select {
	case err := <-s.served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.log.Info("stopping", "delay", s.config.StopDelay, "timeout", s.config.StopTimeout)
	s.api.Stop()
	if s.config.StopDelay > 0 {
		select {
		case err := <-s.served:
			return fmt.Errorf("serving: %w", err)
		case <-time.After(s.config.StopDelay):
		}
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.StopTimeout)
	defer cancel()
	s.feed.Stop() // streams end at once, with a hint to come back
	err := s.road.Drain(bounded)
	if shutdown := s.http.Shutdown(bounded); shutdown != nil {
		err = errors.Join(err, fmt.Errorf("closing the listener: %w", shutdown), s.http.Close())
	}
	if err != nil {
		return err
	}
	s.log.Info("stopped")
	return nil
}
