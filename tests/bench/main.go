// Command bench measures the road against its floor: both sides in one run, on one machine, in turns, medians of the
// rounds, ratios. It brings a Postgres of its own and runs the scripts of sql/bench with pgbench.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; the median counts")
	flag.DurationVar(&o.each, "each", 3*time.Second, "how long each side runs in a round (whole seconds)")
	flag.BoolVar(&o.fsync, "fsync", false, "let the disk take part; without it only the road's own cost is seen, which is harder to hold")
	flag.StringVar(&o.scripts, "scripts", "sql/bench", "folder of the scripts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds  int
	each    time.Duration
	fsync   bool
	scripts string
}

// comparison is one row of the table: ours beside the other side.
type comparison struct {
	what          string
	ours, other   side
	bar           string
	latency       bool // compare latency (lower is better), else throughput
	atLeastOrMost float64
}

type side struct {
	script  string
	clients int
}

func comparisons() []comparison {
	return []comparison{
		{"plain command / its floor, latency, 1 client", side{"note.sql", 1}, side{"note_floor.sql", 1}, "<= 1.40", true, 1.40},
		{"plain command / its floor, throughput, 16 clients", side{"note.sql", 16}, side{"note_floor.sql", 16}, ">= 0.60", false, 0.60},
		{"goal with rules and fold / its floor, throughput, 16 clients", side{"goal.sql", 16}, side{"goal_floor.sql", 16}, ">= 0.55", false, 0.55},
		{"one hot fixture, 16 clients / 2 clients, straight into Postgres", side{"note_hot.sql", 16}, side{"note_hot.sql", 2}, "(admission: >= 0.90)", false, 0},
	}
}

func run(ctx context.Context, o options) error {
	settings := map[string]string{"max_connections": "100", "shared_buffers": "256MB", "autovacuum": "on", "checkpoint_timeout": "30min", "max_wal_size": "4GB"}
	if o.fsync {
		settings["fsync"], settings["full_page_writes"] = "on", "on"
	}
	cluster, err := postgres.Open(ctx, postgres.Options{Settings: settings, AllowInstall: true, Log: say})
	if err != nil {
		return fmt.Errorf("bringing a Postgres: %w", err)
	}
	defer func() { _ = cluster.Close(context.WithoutCancel(ctx)) }()
	if _, err := postgres.Migrate(ctx, cluster.URL, postgres.MigrateOptions{}); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	pgbench, err := find("pgbench", cluster.Version/10000)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	setup, err := os.ReadFile(filepath.Join(o.scripts, "setup.sql"))
	if err != nil {
		return fmt.Errorf("reading the set-up: %w", err)
	}
	for statement := range bytes.SplitSeq(setup, []byte(";\n")) {
		if len(bytes.TrimSpace(statement)) == 0 {
			continue
		}
		if _, err := conn.Exec(ctx, string(statement)); err != nil {
			return fmt.Errorf("setting up: %w", err)
		}
	}

	fmt.Printf("PostgreSQL %d.%d, fsync %t, %d cores, %s, %d rounds of %s, %s\n\n", cluster.Version/10000, cluster.Version%10000, o.fsync,
		runtime.NumCPU(), runtime.Version(), o.rounds, o.each, time.Now().UTC().Format(time.DateOnly))
	fmt.Println("| what | ours | other | ratio | bar | |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, c := range comparisons() {
		var ours, other []measurement
		for round := range o.rounds {
			say(fmt.Sprintf("%s: round %d of %d", c.what, round+1, o.rounds))
			a, err := bench(ctx, pgbench, cluster.URL, o, c.ours)
			if err != nil {
				return err
			}
			b, err := bench(ctx, pgbench, cluster.URL, o, c.other)
			if err != nil {
				return err
			}
			ours, other = append(ours, a), append(other, b)
		}
		c.print(ours, other)
	}
	return countMultixacts(ctx, conn, pgbench, cluster.URL, o)
}

func say(line string) { fmt.Fprintln(os.Stderr, "  "+line) }

type measurement struct {
	tps       float64 // commands per second
	latencyMS float64 // average
}

func median(list []measurement, of func(measurement) float64) float64 {
	values := make([]float64, 0, len(list))
	for _, m := range list {
		values = append(values, of(m))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (c comparison) print(ours, other []measurement) {
	of, unit := func(m measurement) float64 { return m.tps }, "/s"
	if c.latency {
		of, unit = func(m measurement) float64 { return m.latencyMS }, " ms"
	}
	a, b := median(ours, of), median(other, of)
	ratio := a / b
	verdict := ""
	if c.atLeastOrMost > 0 {
		verdict = "missed"
		if c.latency && ratio <= c.atLeastOrMost || !c.latency && ratio >= c.atLeastOrMost {
			verdict = "met"
		}
	}
	fmt.Printf("| %s | %.4g%s | %.4g%s | %.2f | %s | %s |\n", c.what, a, unit, b, unit, ratio, c.bar, verdict)
}

// find looks for a client program of Postgres beside the server's, then in PATH.
func find(name string, major int) (string, error) {
	beside := fmt.Sprintf("/usr/lib/postgresql/%d/bin/%s", major, name)
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed (Debian: package postgresql-%d): %w", name, major, err)
	}
	return path, nil
}

var (
	tpsLine     = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	latencyLine = regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`)
	doneLine    = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
)

func pgbenchOutput(ctx context.Context, pgbench, url string, o options, s side) (string, error) {
	command := exec.CommandContext(ctx, pgbench, "-n", "-M", "prepared", "-c", strconv.Itoa(s.clients), "-j", strconv.Itoa(min(s.clients, runtime.NumCPU())),
		"-T", strconv.Itoa(max(1, int(o.each.Seconds()))), "-f", filepath.Join(o.scripts, s.script), url)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("pgbench %s: %w\n%s", s.script, err, errs.String())
	}
	return out.String(), nil
}

func bench(ctx context.Context, pgbench, url string, o options, s side) (measurement, error) {
	out, err := pgbenchOutput(ctx, pgbench, url, o, s)
	if err != nil {
		return measurement{}, err
	}
	tps, latency := tpsLine.FindStringSubmatch(out), latencyLine.FindStringSubmatch(out)
	if tps == nil || latency == nil {
		return measurement{}, errors.New("pgbench printed no figures:\n" + out)
	}
	var m measurement
	if m.tps, err = strconv.ParseFloat(tps[1], 64); err != nil {
		return m, fmt.Errorf("reading pgbench's tps: %w", err)
	}
	if m.latencyMS, err = strconv.ParseFloat(latency[1], 64); err != nil {
		return m, fmt.Errorf("reading pgbench's latency: %w", err)
	}
	return m, nil
}

// countMultixacts tells how many MultiXacts the road makes: the counter of the control file before and after.
func countMultixacts(ctx context.Context, conn *pgx.Conn, pgbench, url string, o options) error {
	next := func() (id int64, err error) {
		if _, err := conn.Exec(ctx, "checkpoint"); err != nil {
			return 0, fmt.Errorf("checkpoint: %w", err)
		}
		err = conn.QueryRow(ctx, "select next_multixact_id::text::bigint from pg_control_checkpoint()").Scan(&id)
		return id, err
	}
	commands := 0
	before, err := next()
	if err != nil {
		return err
	}
	for _, s := range []side{{"note.sql", 16}, {"note_hot.sql", 4}, {"goal.sql", 16}} {
		out, err := pgbenchOutput(ctx, pgbench, url, o, s)
		if err != nil {
			return err
		}
		done := doneLine.FindStringSubmatch(out)
		if done == nil {
			return errors.New("pgbench printed no count:\n" + out)
		}
		n, err := strconv.Atoi(done[1])
		if err != nil {
			return fmt.Errorf("reading pgbench's count: %w", err)
		}
		commands += n
	}
	after, err := next()
	if err != nil {
		return err
	}
	verdict := "met"
	if after != before {
		verdict = "missed"
	}
	fmt.Printf("| MultiXacts in %d commands | %d | | | 0 | %s |\n", commands, after-before, verdict)

	return nil
}
