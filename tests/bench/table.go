package main

import (
	"context"
	"errors"
	"fmt"
)

// comparison is one line of the table, ours beside the other side; two lines with latency.
type comparison struct {
	what        string
	ours, other side
	bar         float64 // throughput: at least; 0: there is none
	latency     bool    // show the latency as well
	latencyBar  float64 // at most
}

// direct are the lines without a server. None runs beside them: its poller would read the notes of both sides, and the side
// that commits more would pay more for it.
func (b *bed) direct() []comparison {
	url := asOwner(b.cluster.URL)
	var all []comparison
	for _, command := range []struct {
		name, script string
		bar          float64 // at 16 clients
		latencyBar   float64 // at 1 client
	}{
		{"plain command", "note", 0.60, 1.40},
		{"goal with line-up rules and fold", "goal", 0.55, 0},
	} {
		for _, n := range []int{1, 4, 16} {
			c := comparison{
				what: fmt.Sprintf("%s / its floor, %d clients", command.name, n), latency: true,
				ours: b.byPgbench(url, command.script+".sql", n), other: b.byPgbench(url, command.script+"_floor.sql", n),
			}
			switch n {
			case 1:
				c.latencyBar = command.latencyBar
			case 16:
				c.bar = command.bar
			}
			all = append(all, c)
		}
	}
	call, dynamic := b.calling("road.execute"), b.calling("road.execute_dynamic")
	for _, n := range []int{1, 4, 16} {
		bar := 1.7
		if n == 16 {
			bar = 2
		}
		all = append(all, comparison{what: fmt.Sprintf("one call / nine statements and commit, %d clients", n),
			ours: b.byPgx(url, n, call), other: b.byPgx(url, n, b.nineStatements), bar: bar})
	}
	for _, n := range []int{1, 16} {
		all = append(all, comparison{what: fmt.Sprintf("static dispatcher / one with EXECUTE, %d clients", n),
			ours: b.byPgx(url, n, call), other: b.byPgx(url, n, dynamic)})
	}
	return append(all, comparison{what: "one hot fixture straight into Postgres, 16 clients / 2",
		ours: b.byPgbench(url, "note_hot.sql", 16), other: b.byPgbench(url, "note_hot.sql", 2)})
}

// served are the lines through a server, which runs beside both sides.
func (b *bed) served(s *server) []comparison {
	hot := func() string { return "bench-16" }
	return []comparison{
		{what: "over HTTP / calling the function, 16 clients", ours: s.byHTTP(16, b.fixture), other: b.byPgx(asOwner(b.cluster.URL), 16, b.calling("road.execute")), bar: 0.60},
		{what: "one hot fixture over HTTP, 16 senders / 2", ours: s.byHTTP(16, hot), other: s.byHTTP(2, hot), bar: 0.90},
	}
}

// measureAll measures those lines that were asked for.
func (b *bed) measureAll(ctx context.Context, all []comparison) error {
	for _, c := range all {
		if !b.only.MatchString(c.what) {
			continue
		}
		if err := b.measure(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

func (b *bed) table(ctx context.Context) (err error) {
	if err := b.script(ctx, asOwner(b.cluster.URL), "execute_dynamic.sql", nil); err != nil {
		return err
	}
	b.heading()
	fmt.Println("| what | ours | other | ratio | bar | |")
	fmt.Println("|---|---|---|---|---|---|")
	if err := b.measureAll(ctx, b.direct()); err != nil {
		return err
	}
	s, err := b.serve(ctx, b.cluster.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := b.measureAll(ctx, b.served(s)); err != nil {
		return err
	}
	for _, extra := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"steady", func(ctx context.Context) error { return b.steadyLoad(ctx, s) }},
		{"viewers", func(ctx context.Context) error { return b.feedLines(ctx, s) }},
		{"play_void", b.corrections},
		{"MultiXacts", b.countMultixacts},
		{"round trips", b.countTrips},
	} {
		if b.only.MatchString(extra.name) {
			if err := extra.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", extra.name, err)
			}
		}
	}
	return nil
}

// measure runs the two sides in turns; which comes first changes from round to round. Then it prints the line.
func (b *bed) measure(ctx context.Context, c comparison) error {
	var ours, other []measurement
	for round := range b.rounds {
		say(fmt.Sprintf("%s: round %d of %d", c.what, round+1, b.rounds))
		for _, isOurs := range []bool{round%2 == 0, round%2 == 1} {
			run, list := c.other, &other
			if isOurs {
				run, list = c.ours, &ours
			}
			m, err := run(ctx, b.each)
			if err != nil {
				return err
			}
			*list = append(*list, m)
		}
	}
	if c.latency {
		of := func(m measurement) float64 { return m.averageMS }
		x, y := median(ours, of), median(other, of)
		bar := ""
		if c.latencyBar > 0 {
			bar = fmt.Sprintf("<= %.2f", c.latencyBar)
		}
		fmt.Printf("| %s: latency | %.3g ms | %.3g ms | %.2f | %s | %s |\n", c.what, x, y, x/y, bar, verdict(c.latencyBar > 0, x/y <= c.latencyBar))
	}
	of := func(m measurement) float64 { return m.perSecond }
	x, y := median(ours, of), median(other, of)
	bar := ""
	if c.bar > 0 {
		bar = fmt.Sprintf(">= %.2f", c.bar)
	}
	fmt.Printf("| %s: throughput | %.0f/s | %.0f/s | %.2f | %s | %s |\n", c.what, x, y, x/y, bar, verdict(c.bar > 0, x/y >= c.bar))
	return nil
}

func verdict(asked, met bool) string {
	switch {
	case !asked:
		return ""
	case met:
		return "met"
	}
	return "**missed**"
}
