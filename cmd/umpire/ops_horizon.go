package main

import (
	"context"
	"fmt"
	"io"

	"umpire/sql/runbook"
)

type horizonCommand struct {
	database
}

// Run shows the open transactions that readers wait for, of all databases, prepared ones included.
func (c *horizonCommand) Run(ctx context.Context, out io.Writer) error {
	n, err := c.show(ctx, out, runbook.Horizon)
	if err != nil {
		return fmt.Errorf("asking who holds the horizon: %w", err)
	}
	if n == 0 {
		_, _ = fmt.Fprintln(out, "Nobody holds the horizon: readers get every note that is committed.")
		return nil
	}
	_, _ = fmt.Fprintln(out, "To end a session: umpire ops unblock --pid PID --backend-start 'BACKEND_START'. A prepared transaction: rollback prepared 'GID', in its database.")
	return nil
}
