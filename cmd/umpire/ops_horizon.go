package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"umpire/sql/runbook"
)

type horizonCommand struct {
	database
}

// Run shows the open transactions that readers wait for, of all databases, prepared ones included.
func (c *horizonCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, runbook.Horizon, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("asking who holds the horizon: %w", err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		values := rows.RawValues()
		for i, field := range rows.FieldDescriptions() {
			if values[i] != nil {
				_, _ = fmt.Fprintf(out, "%-18s %s\n", field.Name, values[i])
			}
		}
		_, _ = fmt.Fprintln(out)
		n++
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("asking who holds the horizon: %w", err)
	}
	if n == 0 {
		_, _ = fmt.Fprintln(out, "Nobody holds the horizon: readers get every note that is committed.")
		return nil
	}
	_, _ = fmt.Fprintln(out, "To end a session: umpire ops unblock --pid PID --backend-start 'BACKEND_START'. A prepared transaction: rollback prepared 'GID', in its database.")
	return nil
}
