package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/schollz/progressbar/v3"

	"umpire/sql/runbook"
)

type opsCommand struct {
	Blocking blockingCommand `cmd:"" help:"Who blocks whom, with command, subject, sender and age."`
	Unblock  unblockCommand  `cmd:"" help:"End one session, named by pid and backend start as blocking prints them."`
	Horizon  horizonCommand  `cmd:"" help:"Which open transactions the readers of notes wait for, in all databases, prepared ones included."`
	Rebase   rebaseCommand   `cmd:"" help:"After a restore or a failover: make this cluster the one that notes and consumers are numbered in."`
	Prune    pruneCommand    `cmd:"" help:"Prune notes that are old and that every consumer has; the server does it by itself."`
	Verify   verifyCommand   `cmd:"" help:"Replay every subject and compare with what is shown; then check every invariant."`
}

// connect opens one connection. Whoever the URL names is a member of umpire_ops, or a superuser: only a superuser may end
// another superuser's session.
func (d database) connect(ctx context.Context) (*pgx.Conn, error) {
	if d.DatabaseURL == "" {
		return nil, errNoURL
	}
	config, err := pgx.ParseConfig(d.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = "umpire:ops"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return conn, nil
}

type blockingCommand struct {
	database
}

func (c *blockingCommand) Run(ctx context.Context, out io.Writer) error {
	n, err := c.show(ctx, out, runbook.Blocking)
	if err != nil {
		return fmt.Errorf("asking who blocks whom: %w", err)
	}
	if n == 0 {
		_, _ = fmt.Fprintln(out, "Nobody is blocked.")
		return nil
	}
	_, _ = fmt.Fprintln(out, "To end a blocking session: umpire ops unblock --pid PID --backend-start 'BLOCKING_BACKEND_START'")
	return nil
}

// show runs a statement of the runbook, prints each row with one line per column that has a value, and counts the rows.
func (d database) show(ctx context.Context, out io.Writer, statement string) (n int, err error) {
	conn, err := d.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		values := rows.RawValues()
		for i, field := range rows.FieldDescriptions() {
			if values[i] != nil {
				_, _ = fmt.Fprintf(out, "%-22s %s\n", field.Name, values[i])
			}
		}
		_, _ = fmt.Fprintln(out)
		n++
	}
	return n, rows.Err()
}

type unblockCommand struct {
	database

	PID          int    `required:"" help:"The session's pid (blocking_pid)."`
	BackendStart string `required:"" help:"When it began (blocking_backend_start): a pid that has passed to another session is left alone."`
}

func (c *unblockCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var pid int
	var application string
	var ended bool
	err = conn.QueryRow(ctx, runbook.Unblock(), c.PID, c.BackendStart).Scan(&pid, &application, &ended)
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("there is no session %d that began at %s: it has ended, or the pid is another session's now; nothing was done", c.PID, c.BackendStart)
	}
	if err != nil {
		return fmt.Errorf("ending session %d: %w", c.PID, err)
	}
	if !ended {
		return fmt.Errorf("session %d (%s) was told to end but is still there after 5 s; look again with umpire ops blocking", pid, application)
	}
	_, _ = fmt.Fprintf(out, "Ended session %d (%s). Its command, if it had one, was rolled back; its sender will send it again.\n", pid, application)
	return nil
}

type verifyCommand struct {
	database
}

func (c *verifyCommand) Run(ctx context.Context, out io.Writer) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var total int64
	if err := conn.QueryRow(ctx, "select count(*) from road.subject").Scan(&total); err != nil {
		return fmt.Errorf("counting the subjects: %w", err)
	}
	bar := newBar(total, "replaying")
	type problem struct{ kind, ref, text string }
	var problems []problem
	after := "00000000-0000-0000-0000-000000000000"
	var n int64
	for {
		rows, err := conn.Query(ctx, "select subject_id::text, kind, ref, problem from road.verify($1, 100)", after)
		if err != nil {
			return fmt.Errorf("replaying after subject %s: %w", after, err)
		}
		page := 0
		for rows.Next() {
			var p problem
			var text *string
			if err := rows.Scan(&after, &p.kind, &p.ref, &text); err != nil {
				rows.Close()
				return fmt.Errorf("reading a replay: %w", err)
			}
			if text != nil {
				p.text = *text
				problems = append(problems, p)
			}
			page++
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("replaying: %w", err)
		}
		n += int64(page)
		_ = bar.Add(page)
		if page < 100 {
			break
		}
	}
	_ = bar.Finish()
	fmt.Fprintln(os.Stderr, "  checking the invariants")
	rows, err := conn.Query(ctx, "select name, detail from road.invariants() where name <> 'replay'")
	if err != nil {
		return fmt.Errorf("checking the invariants: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p problem
		p.kind = "invariant"
		if err := rows.Scan(&p.ref, &p.text); err != nil {
			return fmt.Errorf("reading an invariant: %w", err)
		}
		problems = append(problems, p)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("checking the invariants: %w", err)
	}
	if len(problems) == 0 {
		_, _ = fmt.Fprintf(out, "%d subjects replayed: all equal to what is shown; every invariant holds.\n", n)
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, p := range problems {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", p.kind, p.ref, p.text)
	}
	_ = table.Flush()
	return fmt.Errorf("%d subjects replayed, %d problems", n, len(problems))
}

// newBar shows how far long work has come, on stderr.
func newBar(total int64, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription("  "+what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }),
	)
}
