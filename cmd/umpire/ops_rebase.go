package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
)

type rebaseCommand struct {
	database
}

// Run makes the present cluster and timeline the one that notes and consumers are numbered in. Commands wait while it runs.
func (c *rebaseCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	// Behind an open transaction it would queue, and everybody else behind it.
	if _, err := conn.Exec(ctx, "set lock_timeout = '10s'"); err != nil {
		return fmt.Errorf("limiting the wait: %w", err)
	}
	var raw []byte
	err = conn.QueryRow(ctx, "select road.feed_rebase()::text").Scan(&raw)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "55P03" {
		return errors.New("somebody writes for longer than 10 s (umpire ops horizon); nothing was done, run it again")
	}
	if err != nil {
		return fmt.Errorf("rebasing: %w", err)
	}
	type where struct {
		System   string `json:"system_identifier"`
		Timeline int    `json:"timeline"`
	}
	var done struct {
		Was       where `json:"was"`
		Is        where `json:"is"`
		Notes     int64 `json:"notes_renumbered"`
		Consumers int64 `json:"consumers_moved"`
	}
	if err := json.Unmarshal(raw, &done); err != nil {
		return fmt.Errorf("reading what was done: %w", err)
	}
	_, _ = fmt.Fprintf(out, "Cluster %s timeline %d, before: cluster %s timeline %d.\n", done.Is.System, done.Is.Timeline, done.Was.System, done.Was.Timeline)
	_, _ = fmt.Fprintf(out, "%d notes renumbered, %d consumers moved. Nothing is skipped; some notes may come twice.\n", done.Notes, done.Consumers)
	return nil
}
