package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"umpire/client"
	"umpire/server/postgres"
	"umpire/server/road"
	"umpire/server/telemetry"
)

// demoSender is the sender that the demo makes for itself.
const demoSender = "demo"

type devCommand struct {
	config

	Data    string `help:"Folder to keep the database in; without it a restart drops everything." type:"path"`
	Image   string `env:"UMPIRE_IMAGE" help:"Run Postgres in a container of this image, also where server binaries are installed."`
	Migrate bool   `help:"Bring a database given by URL to this binary's migrations and functions first."`
	Once    bool   `help:"Stop after the replay."`
}

func (c *devCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Data != "" && c.DatabaseURL != "" {
		return errors.New("--data is for a database of our own; leave it out, or unset UMPIRE_DATABASE_URL")
	}
	if c.Image != "" && (c.Data != "" || c.DatabaseURL != "") {
		return errors.New("--image is for throwaway data in a container: leave out --data and unset UMPIRE_DATABASE_URL")
	}
	logLevel := c.LogLevel
	if logLevel == "info" {
		logLevel = "warn" // one line per request would hide what the demo shows; --log-level debug brings them
	}
	log, err := telemetry.NewLogger(os.Stderr, c.LogFormat, logLevel)
	if err != nil {
		return err
	}
	database, err := openDatabase(ctx, c.database, postgres.Options{DataDir: c.Data, Image: c.Image}, c.Migrate)
	if err != nil {
		return err
	}
	defer closeDatabase(ctx, database, log)
	server, err := startServer(ctx, &c.config, database, log)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- server.serveUntil(serving) }()

	err = c.demo(ctx, out, server, database)
	if err == nil && !c.Once {
		select {
		case err := <-stopped:
			return err
		case <-ctx.Done():
		}
	}
	stop()
	return errors.Join(err, <-stopped)
}

// demo makes a sender, replays the match through the API, and says how to go on.
func (c *devCommand) demo(ctx context.Context, out io.Writer, s *server, cluster *postgres.Cluster) error {
	token, err := demoToken(ctx, database{DatabaseURL: cluster.URL})
	if err != nil {
		return err
	}
	m, err := readMatch(worldCupFinal)
	if err != nil {
		return err
	}
	if err := m.replay(ctx, out, &client.Client{BaseURL: s.url(), Token: token}, pace{senders: 1}); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n  %s\n", keeps(c, cluster))
	_, _ = fmt.Fprintf(out, `
  docs     %[1]s/docs
  live     %[1]s/live?event=%[5]s
  psql     %[2]s
  try      curl -s %[1]s/workflows/fixture/subjects/fixture/%[3]s/commands \
             -H 'Authorization: Bearer %[4]s' -H 'Content-Type: application/json' \
             -d '{"key": "my-first-key", "code": "note", "input": {"text": "What a final."}}'
  read     curl -s %[1]s/subjects/fixture/%[3]s
`, s.url(), cluster.URL, m.Fixture.Ref, token, m.Event.Ref)
	if !c.Once {
		_, _ = fmt.Fprintf(out, "\n  Serving. Ctrl-C stops.\n")
	}
	return nil
}

// keeps says what becomes of the data.
func keeps(c *devCommand, cluster *postgres.Cluster) string {
	switch {
	case cluster.Origin == postgres.OriginURL:
		return "The match is in your database."
	case cluster.Durable:
		folder, err := filepath.Abs(c.Data)
		if err != nil {
			folder = c.Data
		}
		return "The database is kept in " + folder + "."
	}
	return "This is a throwaway database: a restart drops everything (--data DIR keeps it)."
}

// demoToken adds the demo's sender, or gives it a new token when an earlier run left it there.
func demoToken(ctx context.Context, d database) (string, error) {
	conn, err := d.connect(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	token, hash := road.NewToken()
	_, err = road.RotateSender(ctx, conn, demoSender, hash, time.Minute)
	if errors.Is(err, road.ErrNotFound) {
		err = road.AddSender(ctx, conn, road.NewSender{Name: demoSender, TokenSHA256: hash, MayAct: true, MayReadLog: true})
	}
	if err != nil {
		return "", fmt.Errorf("making the demo's sender: %w", err)
	}
	return token, nil
}
