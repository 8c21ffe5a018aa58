// Command bench measures the road: against its floor, against the same steps from the client, through the server, on one
// hot fixture, at a steady rate. All in one run, on one machine, both sides of each line in turns, medians of the rounds,
// ratios. It brings a Postgres of its own. docs/benchmarks.md says what the lines mean.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	var o options
	var only string
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; the median counts")
	flag.DurationVar(&o.each, "each", 3*time.Second, "how long each side runs in a round (whole seconds)")
	flag.DurationVar(&o.steady, "steady", 30*time.Second, "how long the steady load runs")
	flag.BoolVar(&o.fsync, "fsync", false, "let the disk take part; without it only the road's own cost is seen, which is harder to hold")
	flag.StringVar(&o.scripts, "scripts", "sql/bench", "folder of the scripts")
	flag.StringVar(&o.binary, "binary", "bin/umpire", "the server's binary")
	flag.StringVar(&only, "only", "", "only the lines that match this regular expression")
	flag.Float64Var(&o.scale, "scale", 0, "measure beside a large database instead: 1 = 10 million commands, 5 million log rows, 100,000 fixtures with 2 million plays")
	flag.DurationVar(&o.heldFor, "held", 30*time.Minute, "with -scale: how long a snapshot is held beside 200 commands a second; 0: not at all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := o.validate(only)
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds  int
	each    time.Duration
	steady  time.Duration
	fsync   bool
	scripts string
	binary  string
	scale   float64
	heldFor time.Duration
	only    *regexp.Regexp
}

func (o *options) validate(only string) (err error) {
	switch {
	case o.rounds < 1:
		return fmt.Errorf("-rounds is at least 1, not %d", o.rounds)
	case o.each < time.Second || o.steady < time.Second:
		return fmt.Errorf("-each and -steady are at least a second")
	case o.heldFor < 0:
		return fmt.Errorf("-held is not negative")
	case o.scale < 0 || o.scale > 10:
		return fmt.Errorf("-scale is from 0 to 10, not %g", o.scale)
	}
	o.only, err = regexp.Compile(only)
	return err
}

func run(ctx context.Context, o options) error {
	b, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer b.close(context.WithoutCancel(ctx))
	if o.scale > 0 {
		return b.big(ctx)
	}
	return b.table(ctx)
}

func say(line string) { fmt.Fprintln(os.Stderr, "  "+line) }
