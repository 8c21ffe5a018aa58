package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/prove"
	"umpire/server/postgres"
	"umpire/server/road"
)

type proveCommand struct {
	Seed     uint64        `help:"What the senders send and what is killed when comes from this number; a new one when not given."`
	Minutes  float64       `default:"1" help:"How long to send."`
	Senders  int           `default:"12" help:"How many send at once."`
	Servers  int           `default:"2" help:"How many servers of our own to start; none with --url."`
	Kills    int           `default:"-1" help:"How many times to kill something of ours (a server, our Postgres); -1: once in 5 s, each at least once."`
	URLs     []string      `name:"url" help:"A running server to prove in place of our own (repeatable, all of one database); nothing is killed then. Needs --database-url."`
	Database string        `name:"database-url" help:"A migrated database to use in place of a throwaway one, for a superuser or a member of umpire_ops; its Postgres is not killed. On purpose not taken from the environment: a run leaves thousands of rows."`
	Prefix   string        `help:"Begins every reference and sender's name, so that a run fits into a database that is in use; made from seed and time when not given."`
	Patience time.Duration `default:"60s" help:"How long one command may take with all its retries, and the search for one order."`
	Pictures string        `type:"path" help:"Folder for a page on each family of subjects whose history fits no order."`

	binary string // of the servers; our own when empty
}

var provePrefix = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}$`)

// Validate is called by kong.
func (c *proveCommand) Validate() error {
	switch {
	case c.Minutes <= 0:
		return errors.New("--minutes is more than 0")
	case c.Senders < 1 || c.Senders > 100:
		return errors.New("--senders is 1 to 100")
	case len(c.URLs) > 0 && c.Database == "":
		return errors.New("--url needs --database-url as well: the outbox and the replay are read there, and senders are added")
	case len(c.URLs) == 0 && (c.Servers < 1 || c.Servers > 16):
		return errors.New("--servers is 1 to 16")
	case len(c.URLs) > 0 && c.Kills > 0:
		return errors.New("--kills is for servers of our own; leave it out with --url")
	case c.Prefix != "" && !provePrefix.MatchString(c.Prefix):
		return errors.New("--prefix has 1 to 41 of a-z 0-9 and -, and does not begin with -")
	case c.Patience <= 0:
		return errors.New("--patience is more than 0s")
	}
	return nil
}

func (c *proveCommand) Run(ctx context.Context, out io.Writer) (err error) {
	if c.Seed == 0 {
		c.Seed = uint64(time.Now().UnixNano()%1_000_000) + 1
	}
	if c.Prefix == "" {
		c.Prefix = fmt.Sprintf("prove-%d-%s", c.Seed, strconv.FormatInt(time.Now().UnixMilli(), 36))
	}
	_, _ = fmt.Fprintf(out, "seed %d, references begin with %s\n", c.Seed, c.Prefix)

	cluster, err := openDatabase(ctx, database{DatabaseURL: c.Database}, postgres.Options{}, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(context.WithoutCancel(ctx))) }()
	senders, leave, err := c.addSenders(ctx, cluster)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()

	house, err := c.open(ctx, cluster)
	if err != nil {
		return err
	}
	defer house.close()

	duration := time.Duration(c.Minutes * float64(time.Minute))
	killing, stop := context.WithTimeout(ctx, duration)
	defer stop()
	killed := house.killAtRandom(killing, c.Seed, duration, c.Kills)
	var kills killCounts

	bar := newBar(int64(duration/time.Millisecond), "sending")
	history, stats, err := prove.Run(ctx, prove.Options{
		URLs: house.urls(c.URLs), DatabaseURL: cluster.URL, Prefix: c.Prefix, Seed: c.Seed, Duration: duration,
		Senders: senders, Patience: c.Patience,
		Progress: func(elapsed time.Duration, commands int64) {
			bar.Describe(fmt.Sprintf("  %d commands, ms", commands))
			_ = bar.Set64(int64(elapsed / time.Millisecond))
		},
		Sent: func() error {
			stop()
			kills = <-killed
			if kills.err != nil {
				return fmt.Errorf("what was killed did not come back: %w", kills.err)
			}
			return nil
		},
		Doing: progress,
	})
	if err != nil {
		return fmt.Errorf("the run did not come to its end: %w", err)
	}
	history.Faults = append(history.Faults, house.faults()...)
	return c.judge(out, history, stats, kills, house)
}

// addSenders adds the run's senders, and gives what shuts them out again where the database stays.
func (c *proveCommand) addSenders(ctx context.Context, cluster *postgres.Cluster) ([]prove.Sender, func() error, error) {
	conn, err := database{DatabaseURL: cluster.URL}.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var senders []prove.Sender
	for i := range c.Senders {
		token, hash := road.NewToken()
		s := prove.Sender{Name: fmt.Sprintf("%s-%d", c.Prefix, i), Token: token}
		if err := road.AddSender(ctx, conn, road.NewSender{Name: s.Name, TokenSHA256: hash, MayAct: true, MayReadLog: true}); err != nil {
			return nil, nil, fmt.Errorf("adding a sender: %w", err)
		}
		senders = append(senders, s)
	}
	leave := func() error {
		if cluster.Origin != postgres.OriginURL {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, cluster.URL)
		if err != nil {
			return fmt.Errorf("connecting to shut out the run's senders: %w", err)
		}
		defer func() { _ = conn.Close(ctx) }()
		for _, s := range senders {
			if err := road.DisableSender(ctx, conn, s.Name); err != nil {
				return fmt.Errorf("shutting out %s: %w", s.Name, err)
			}
		}
		return nil
	}
	return senders, leave, nil
}

// judge prints what was done and what the oracles say; an error when one of them found something.
func (c *proveCommand) judge(out io.Writer, h *prove.History, stats prove.Stats, kills killCounts, house *house) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("commands", "%d sendings (%s)", stats.Commands, counts(stats.Outcomes))
	line("sent twice", "%d; %d given up by their sender and sent again later", stats.Resends, stats.HungUp)
	line("attempts", "%s", counts(stats.Attempts))
	line("views", "%d", stats.Looks)
	line("kills", "%s", kills)
	_, _ = fmt.Fprintln(table)
	progress("asking the oracles")
	findings := prove.Judge(h, prove.Oracles(c.Patience), func(o prove.Oracle, looked int, found []string) {
		verdict := "holds"
		if len(found) > 0 {
			verdict = fmt.Sprintf("BROKEN, %d times", len(found))
		}
		line(o.Name, "%s\t%d looked at\t%s", verdict, looked, o.Says)
	})
	_ = table.Flush()
	if len(findings) == 0 {
		_, _ = fmt.Fprintf(out, "\nNothing was lost, nothing was counted twice. Seed %d.\n", c.Seed)
		return nil
	}
	house.keep = true
	_, _ = fmt.Fprintln(out)
	const shown = 40
	for i, f := range findings {
		if i == shown {
			_, _ = fmt.Fprintf(out, "and %d more\n", len(findings)-shown)
			break
		}
		_, _ = fmt.Fprintf(out, "%s: %s\n", f.Oracle, f.Text)
	}
	_, _ = fmt.Fprintf(out, "\nAgain: %s\n", c.again())
	if house.folder != "" {
		_, _ = fmt.Fprintf(out, "What the servers said: %s\n", house.folder)
	}
	return errors.Join(fmt.Errorf("%d findings", len(findings)), c.draw(h, findings))
}

// again is the command line that makes the same choices.
func (c *proveCommand) again() string {
	line := fmt.Sprintf("umpire prove --seed %d --minutes %g --senders %d --kills %d", c.Seed, c.Minutes, c.Senders, c.Kills)
	if len(c.URLs) == 0 {
		line += fmt.Sprintf(" --servers %d", c.Servers)
	}
	for _, u := range c.URLs {
		line += " --url " + u
	}
	if c.Database != "" {
		line += " --database-url ..." // it may hold a password
	}
	return line
}

// draw writes a page on each family that fits no order.
func (c *proveCommand) draw(h *prove.History, findings []prove.Finding) error {
	if c.Pictures == "" {
		return nil
	}
	if err := os.MkdirAll(c.Pictures, 0o755); err != nil {
		return fmt.Errorf("the folder for pictures: %w", err)
	}
	for _, f := range findings {
		if f.Oracle != "linearizable" {
			continue
		}
		family, _, _ := strings.Cut(f.Text, ":")
		file, err := os.Create(filepath.Join(c.Pictures, family+".html"))
		if err != nil {
			return fmt.Errorf("a picture: %w", err)
		}
		if err := errors.Join(h.Picture(family, c.Patience, file), file.Close()); err != nil {
			return err
		}
		progress("drawn: " + file.Name())
	}
	return nil
}

func counts(m map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[name], name))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
