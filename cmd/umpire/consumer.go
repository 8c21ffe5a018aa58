package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"umpire/server/feed"
)

type consumerCommand struct {
	List   consumerListCommand   `cmd:"" help:"List consumers with their lag."`
	Create consumerCreateCommand `cmd:"" help:"Create a consumer for a sender that may read logs."`
	Read   consumerReadCommand   `cmd:"" help:"Print the notes after a consumer's position, or a range; moves nothing."`
	Ack    consumerAckCommand    `cmd:"" help:"Acknowledge everything up to a position."`
	Rewind consumerRewindCommand `cmd:"" help:"Move a consumer back; makes an expired one live again."`
	Drop   consumerDropCommand   `cmd:"" help:"Forget a consumer; notes are no longer kept for it."`
}

// consumers connects as an operator.
func (d database) consumers(ctx context.Context, do func(*feed.Consumers) error) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return do(feed.NewConsumers(conn))
}

func printJSON(out io.Writer, raw json.RawMessage) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}

type consumerListCommand struct {
	database
}

func (c *consumerListCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		raw, err := all.List(ctx, "")
		if err != nil {
			return err
		}
		var list []struct {
			Consumer string  `json:"consumer"`
			Sender   string  `json:"sender"`
			State    string  `json:"state"`
			Lag      float64 `json:"lag_s"`
			MaxLag   float64 `json:"max_lag_s"`
			Position string  `json:"position"`
			At       string  `json:"acknowledged_at"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("reading the list: %w", err)
		}
		table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "CONSUMER\tSENDER\tSTATE\tLAG\tMAX LAG\tACKNOWLEDGED\tPOSITION")
		for _, l := range list {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Consumer, l.Sender, l.State,
				time.Duration(l.Lag)*time.Second, time.Duration(l.MaxLag)*time.Second, l.At, l.Position)
		}
		return table.Flush()
	})
}

type consumerCreateCommand struct {
	database

	Name   string        `arg:"" help:"The consumer's name: a-z 0-9 . _ -"`
	Sender string        `required:"" help:"Whose it is: a sender that may read logs."`
	Start  bool          `help:"Begin with the oldest note that is kept; now when not given."`
	MaxLag time.Duration `default:"168h" help:"How old its oldest unread note may become before it expires (7 days)."`
}

func (c *consumerCreateCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		raw, err := all.Create(ctx, c.Sender, c.Name, c.Start, c.MaxLag)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	})
}

type consumerReadCommand struct {
	database

	Name  string `arg:"" help:"The consumer's name."`
	Limit int    `default:"100" help:"How many notes, at most 500."`
	After string `help:"Begin after this position in place of the consumer's own."`
	Until string `help:"End with this position."`
}

func (c *consumerReadCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		raw, err := all.Page(ctx, "", c.Name, c.Limit, c.After, c.Until)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	})
}

type consumerAckCommand struct {
	database

	Name     string `arg:"" help:"The consumer's name."`
	Position string `arg:"" help:"A note's position, or a page's next."`
}

func (c *consumerAckCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		raw, err := all.Acknowledge(ctx, "", c.Name, c.Position)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	})
}

type consumerRewindCommand struct {
	database

	Name     string `arg:"" help:"The consumer's name."`
	Position string `arg:"" optional:"" help:"A position; the oldest note that is kept when not given."`
}

func (c *consumerRewindCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		raw, err := all.Rewind(ctx, "", c.Name, c.Position)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	})
}

type consumerDropCommand struct {
	database

	Name string `arg:"" help:"The consumer's name."`
}

func (c *consumerDropCommand) Run(ctx context.Context, out io.Writer) error {
	return c.consumers(ctx, func(all *feed.Consumers) error {
		if err := all.Drop(ctx, "", c.Name); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "Dropped %s.\n", c.Name)
		return err
	})
}
