package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"umpire/server/jobs"
)

type pruneCommand struct {
	database

	Keep time.Duration `default:"720h" help:"Only notes older than this (30 days)."`
}

// Run prunes notes once, as the serving process does now and then.
func (c *pruneCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	n, err := jobs.PruneNotes(ctx, conn, c.Keep)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d notes pruned. What is left is younger than %s, or a consumer has not acknowledged it (umpire consumer list).\n", n, c.Keep)
	return nil
}
