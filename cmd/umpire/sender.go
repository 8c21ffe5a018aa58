package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"umpire/server/road"
)

type senderCommand struct {
	Add     senderAddCommand     `cmd:"" help:"Add a sender and show its token, once."`
	Rotate  senderRotateCommand  `cmd:"" help:"Give a sender a new token; the present one stays valid for a while."`
	Disable senderDisableCommand `cmd:"" help:"Shut a sender out, from its next command on."`
	List    senderListCommand    `cmd:"" help:"List senders with their scopes."`
}

type senderAddCommand struct {
	database

	Name      string   `arg:"" help:"The sender's name: a-z 0-9 . _ - ; never used twice."`
	Workflows []string `help:"Workflows it may use; all when not given."`
	Events    []string `help:"References of the events it may touch, with their fixtures; all when not given."`
	MayAct    bool     `help:"It may send for others (actor)."`
	ReadLog   bool     `help:"It may read logs."`
}

func (c *senderAddCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	token, hash := road.NewToken()
	err = road.AddSender(ctx, conn, road.NewSender{
		Name: c.Name, TokenSHA256: hash, Workflows: c.Workflows, Events: c.Events, MayAct: c.MayAct, MayReadLog: c.ReadLog,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Added %s. Its token, shown this once:\n", c.Name)
	_, _ = fmt.Fprintln(out, token)
	return nil
}

type senderRotateCommand struct {
	database

	Name    string        `arg:"" help:"The sender's name."`
	Overlap time.Duration `default:"1h" help:"How long the present token stays valid."`
}

func (c *senderRotateCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Overlap < 0 {
		return fmt.Errorf("--overlap is not negative")
	}
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	token, hash := road.NewToken()
	until, err := road.RotateSender(ctx, conn, c.Name, hash, c.Overlap)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "The old token of %s works until %s. The new one, shown this once:\n", c.Name, until.Format(time.RFC3339))
	_, _ = fmt.Fprintln(out, token)
	return nil
}

type senderDisableCommand struct {
	database

	Name string `arg:"" help:"The sender's name."`
}

func (c *senderDisableCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := road.DisableSender(ctx, conn, c.Name); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "Disabled %s: its next command is refused.\n", c.Name)
	return nil
}

type senderListCommand struct {
	database
}

func (c *senderListCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	senders, err := road.ListSenders(ctx, conn)
	if err != nil {
		return err
	}
	all := func(list []string) string {
		if list == nil {
			return "all"
		}
		return strings.Join(list, ",")
	}
	at := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.Format(time.RFC3339)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "SENDER\tWORKFLOWS\tEVENTS\tMAY ACT\tREADS LOG\tADDED\tOLD TOKEN UNTIL\tDISABLED")
	for _, s := range senders {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%t\t%t\t%s\t%s\t%s\n",
			s.Name, all(s.Workflows), all(s.Events), s.MayAct, s.MayReadLog, s.CreatedAt.Format(time.RFC3339), at(s.OldTokenUntil), at(s.DisabledAt))
	}
	return table.Flush()
}
