package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// countMultixacts tells how many MultiXacts the road makes: the counter of the control file before and after.
func (b *bed) countMultixacts(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	next := func() (id int64, err error) {
		if _, err := conn.Exec(ctx, "checkpoint"); err != nil {
			return 0, fmt.Errorf("checkpoint: %w", err)
		}
		err = conn.QueryRow(ctx, "select next_multixact_id::text::bigint from pg_control_checkpoint()").Scan(&id)
		return id, err
	}
	before, err := next()
	if err != nil {
		return err
	}
	commands := 0
	url := asOwner(b.cluster.URL)
	for _, s := range []side{b.byPgbench(url, "note.sql", 16), b.byPgbench(url, "note_hot.sql", 4), b.byPgbench(url, "goal.sql", 16)} {
		m, err := s(ctx, b.each)
		if err != nil {
			return err
		}
		commands += m.done
	}
	after, err := next()
	if err != nil {
		return err
	}
	fmt.Printf("| MultiXacts in %d commands | %d | | | 0 | %s |\n", commands, after-before, verdict(true, after == before))
	return nil
}

// countTrips puts a counter between a server and Postgres: the server sends, then waits for the answer to it, as often as
// there are Sync and Query messages.
func (b *bed) countTrips(ctx context.Context) (err error) {
	w, url, err := listen(ctx, b.cluster.URL)
	if err != nil {
		return err
	}
	defer w.close()
	s, err := b.serve(ctx, url)
	if err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			_ = s.stop()
		}
	}()
	c, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }()
	// The first one finds out who the token's sender is, and opens what is opened at first use.
	if err := c.note("bench-16"); err != nil {
		return err
	}
	const n = 1000
	before, looks := w.trips.Load(), w.feed.Load()
	for range n {
		if err := c.note(b.fixture()); err != nil {
			return err
		}
	}
	trips, looks := w.trips.Load()-before, w.feed.Load()-looks
	stopped = true
	if err := s.stop(); err != nil {
		return err
	}
	fmt.Printf("| round trips to the database in %d commands over HTTP, counted on the wire (beside them, one poller for all viewers: %d) | %d | | %.3f | 1 | %s |\n", n, looks, trips, float64(trips)/n, verdict(true, trips == n))
	return nil
}
