package main

import (
	"context"
	"fmt"
	"io"

	"umpire/server/postgres"
)

type versionCommand struct{}

func (c *versionCommand) Run(_ context.Context, out io.Writer) error {
	migration, codeHash, err := postgres.Embedded().Carried()
	if err != nil {
		return fmt.Errorf("reading what this binary carries: %w", err)
	}
	_, _ = fmt.Fprintf(out, "umpire %s, migration %d, code %s\n", version, migration, codeHash)
	return nil
}
