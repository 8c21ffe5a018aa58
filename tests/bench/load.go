package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// side is one side of a comparison: load for that long, then say how it went.
type side func(ctx context.Context, d time.Duration) (measurement, error)

type measurement struct {
	perSecond float64 // commands
	averageMS float64 // latency
	done      int
}

// one does one command; a client calls it again and again.
type one func(ctx context.Context) error

// warmUp is how many commands a client sends before it is measured: Postgres plans a statement anew five times, in each
// session, before it keeps a plan.
const warmUp = 10

// clients runs as many clients as there are functions, each in a loop.
func clients(ctx context.Context, d time.Duration, all []one) (measurement, error) {
	done, failed := make([]int, len(all)), make([]error, len(all))
	var wait sync.WaitGroup
	// All at once: a server hangs up on a connection that says nothing for long.
	for i, send := range all {
		wait.Go(func() {
			for n := 0; n < warmUp && failed[i] == nil; n++ {
				failed[i] = send(ctx)
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return measurement{}, err
	}
	begun := time.Now()
	until := begun.Add(d)
	for i, send := range all {
		wait.Go(func() {
			for time.Now().Before(until) && failed[i] == nil {
				if failed[i] = send(ctx); failed[i] == nil {
					done[i]++
				}
			}
		})
	}
	wait.Wait()
	took := time.Since(begun)
	m := measurement{}
	for _, n := range done {
		m.done += n
	}
	if err := errors.Join(failed...); err != nil {
		return m, err
	}
	if m.done == 0 {
		return m, errors.New("not one command was done")
	}
	m.perSecond = float64(m.done) / took.Seconds()
	m.averageMS = took.Seconds() * 1000 * float64(len(all)) / float64(m.done)
	return m, nil
}

// byPgx gives each client a connection of its own, on which prepare has prepared what it needs.
func (b *bed) byPgx(url string, n int, prepare func(ctx context.Context, conn *pgx.Conn, client int) (one, error)) side {
	return func(ctx context.Context, d time.Duration) (measurement, error) {
		all := make([]one, n)
		for i := range all {
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				return measurement{}, fmt.Errorf("connecting: %w", err)
			}
			defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
			if all[i], err = prepare(ctx, conn, i); err != nil {
				return measurement{}, err
			}
		}
		return clients(ctx, d, all)
	}
}

func median(list []measurement, of func(measurement) float64) float64 {
	values := make([]float64, 0, len(list))
	for _, m := range list {
		values = append(values, of(m))
	}
	return quantile(values, 0.5)
}

// quantile sorts values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}
