package main

import (
	"context"
	"fmt"
	"io"

	"umpire/server/api"
	"umpire/server/postgres"
	"umpire/server/road"
)

type openapiCommand struct {
	database

	JSON bool `name:"json" help:"As JSON; YAML when not given."`
}

// Run reads the catalogue from the database given by URL, or from a throwaway one with this binary's functions.
func (c *openapiCommand) Run(ctx context.Context, out io.Writer) error {
	cluster, err := openDatabase(ctx, c.database, postgres.Options{}, false)
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close(context.WithoutCancel(ctx)) }()
	if _, err := checkDatabase(ctx, cluster); err != nil {
		return err
	}
	r, err := road.Open(ctx, road.Options{URL: cluster.URL})
	if err != nil {
		return err
	}
	defer r.Close()
	catalogue, err := r.LoadCatalogue(ctx)
	if err != nil {
		return err
	}
	write := api.DocumentYAML
	if c.JSON {
		write = api.Document
	}
	document, err := write(catalogue, api.DocumentOptions{})
	if err != nil {
		return err
	}
	if _, err := out.Write(document); err != nil {
		return fmt.Errorf("printing the document: %w", err)
	}
	return nil
}
