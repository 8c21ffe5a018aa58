package main

import (
	"context"
	"fmt"

	"umpire/server/postgres"
)

type versionCommand struct{}

func (c *versionCommand) Run(context.Context) error {
	migration, codeHash, err := postgres.Embedded().Carried()
	if err != nil {
		return fmt.Errorf("reading what this binary carries: %w", err)
	}
	fmt.Printf("umpire %s, migration %d, code %s\n", version, migration, codeHash)
	return nil
}
