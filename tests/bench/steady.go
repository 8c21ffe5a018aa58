package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	steadyRate     = 200 // commands a second
	steadyFixtures = 50
	sampleEvery    = 2 * time.Millisecond
)

// steadyLoad sends 200 commands a second over 50 fixtures, each at its time whether or not the last one was answered.
// Server time is what the server logs for a request.
//
// How long locks are held: a session has a transaction id, and so its lock in pg_locks, from its first row lock to the end
// of its commit, which is as long as it holds its subject. A sampler looks every 2 ms at who has one. For each transaction
// it takes the longest time that fits what it saw: from the last look before it to the first one after it. Whoever fell
// between two looks held for less than the time between them, and counts with that.
func (b *bed) steadyLoad(ctx context.Context, s *server) error {
	say(fmt.Sprintf("%d commands a second over %d fixtures for %s", steadyRate, steadyFixtures, b.steady))
	sampler := &lockSampler{}
	if err := sampler.start(ctx, b.cluster.URL); err != nil {
		return err
	}
	if _, err := s.times(); err != nil { // those of other lines
		return err
	}
	sent, late, err := s.pace(ctx, b.steady, func(c *sender, i int) error { return c.note(fmt.Sprintf("bench-%d", 16+i%steadyFixtures)) })
	if err := errors.Join(err, sampler.stop()); err != nil {
		return err
	}
	all, err := s.timesOf(sent)
	if err != nil {
		return err
	}
	held, gap := sampler.held(len(all))
	p50, p95, p99 := quantile(all, 0.50), quantile(all, 0.95), quantile(all, 0.99)
	fmt.Printf("| steady %d/s over %d fixtures, %d commands: server time p95 (p50 %.2f, p99 %.2f ms; %d not sent in time) | %.2f ms | | | < 30 ms | %s |\n",
		steadyRate, steadyFixtures, len(all), p50, p99, late, p95, verdict(true, p95 < 30 && late == 0))
	p99 = quantile(held, 0.99)
	fmt.Printf("| steady: lock held, p99, at most (a look every %.2f ms) | %.2f ms | | | < 20 ms | %s |\n", gap, p99, verdict(true, p99 < 20))
	return nil
}

// pace sends steadyRate commands a second for some time, each at its time whether or not the last one was answered. It says
// how many it sent, and for how many no sender was free at their time.
func (s *server) pace(ctx context.Context, d time.Duration, send func(c *sender, i int) error) (sent, late int, err error) {
	const senders = 32
	due := make(chan int, steadyRate)
	failed := make([]error, senders)
	var wait sync.WaitGroup
	for i := range senders {
		c, err := s.dial(ctx)
		if err != nil {
			close(due)
			wait.Wait()
			return 0, 0, err
		}
		defer func() { _ = c.conn.Close() }()
		wait.Go(func() {
			for n := range due {
				if err := send(c, n); err != nil {
					failed[i] = err
				}
			}
		})
	}
	ticker := time.NewTicker(time.Second / steadyRate)
	defer ticker.Stop()
	for i := range int(d.Seconds() * steadyRate) {
		<-ticker.C
		select {
		case due <- i:
			sent++
		default:
			late++
		}
	}
	close(due)
	wait.Wait()
	return sent, late, errors.Join(failed...)
}

// timesOf waits until the server has logged as many commands, which it does after it has answered, and returns its times.
func (s *server) timesOf(n int) ([]float64, error) {
	var all []float64
	for deadline := time.Now().Add(5 * time.Second); len(all) < n && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		more, err := s.times()
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if len(all) != n {
		return nil, fmt.Errorf("%d commands were sent, the server logged %d", n, len(all))
	}
	return all, nil
}

// lockSampler looks at transaction ids again and again.
type lockSampler struct {
	cancel context.CancelFunc
	ended  chan error

	looks []time.Time
	seen  map[string][2]int // transaction id -> first and last look
}

func (l *lockSampler) start(ctx context.Context, url string) error {
	ctx, l.cancel = context.WithCancel(ctx)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	l.ended, l.seen = make(chan error, 1), map[string][2]int{}
	go func() {
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		ticker := time.NewTicker(sampleEvery)
		defer ticker.Stop()
		for ctx.Err() == nil {
			<-ticker.C
			if err := l.look(ctx, conn); err != nil && ctx.Err() == nil {
				l.ended <- fmt.Errorf("looking at pg_stat_activity: %w", err)
				return
			}
		}
		l.ended <- nil
	}()
	return nil
}

func (l *lockSampler) look(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, "select a.backend_xid::text from pg_stat_activity a where a.backend_xid is not null and a.application_name like 'umpire:command%'")
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	n := len(l.looks)
	l.looks = append(l.looks, time.Now())
	for _, id := range ids {
		first := n
		if was, known := l.seen[id]; known {
			first = was[0]
		}
		l.seen[id] = [2]int{first, n}
	}
	return nil
}

func (l *lockSampler) stop() error {
	l.cancel()
	return <-l.ended
}

// held is an upper bound of each of n commands' time, and the median time between two looks; in ms.
func (l *lockSampler) held(n int) ([]float64, float64) {
	var gaps, all []float64
	for i := 1; i < len(l.looks); i++ {
		gaps = append(gaps, l.looks[i].Sub(l.looks[i-1]).Seconds()*1000)
	}
	for _, s := range l.seen {
		from, to := l.looks[max(0, s[0]-1)], l.looks[min(len(l.looks)-1, s[1]+1)]
		all = append(all, to.Sub(from).Seconds()*1000)
	}
	gap := quantile(gaps, 0.5)
	// Whom nobody saw, in the worst of the gaps.
	for i := 0; len(all) < n && len(gaps) > 0; i++ {
		all = append(all, gaps[len(gaps)-1-i%len(gaps)])
	}
	return all, gap
}
