package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"umpire/server/postgres"
)

type migrateCommand struct {
	database

	Force bool `help:"Install over functions that somebody tuned in the database; what they changed is lost."`
}

func (c *migrateCommand) Run(ctx context.Context, out io.Writer) error {
	if c.DatabaseURL == "" {
		return errNoURL
	}
	report, err := postgres.Migrate(ctx, c.DatabaseURL, postgres.MigrateOptions{Force: c.Force, Log: progress})
	var tuned *postgres.TunedError
	if errors.As(err, &tuned) {
		return err
	}
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	for _, change := range report.Changes {
		_, _ = fmt.Fprintf(out, "%s in the database since the last install: %s\n%s", change.Kind, change.Signature, change.Diff)
	}
	if report.From == report.To && !report.Installed {
		_, _ = fmt.Fprintf(out, "Nothing to do: migration %d, code %.12s.\n", report.To, report.CodeHash)
		return nil
	}
	_, _ = fmt.Fprintf(out, "Migration %d -> %d, code %.12s.\n", report.From, report.To, report.CodeHash)
	return nil
}

// progress says what is being done, beside the output proper.
func progress(line string) {
	fmt.Fprintln(os.Stderr, "  "+line)
}
