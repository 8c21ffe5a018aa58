package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// heldParts is how many times a held snapshot is looked at.
const heldParts = 6

// heldSnapshot measures what a session costs that holds a snapshot while 200 commands a second go on: nothing that dies
// meanwhile can be removed, not the versions of the subjects' rows and not the notes that are pruned.
func (b *bed) heldSnapshot(ctx context.Context) (err error) {
	s, err := b.serve(ctx, b.cluster.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	holder, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = holder.Close(context.WithoutCancel(ctx)) }()
	watch, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = watch.Close(context.WithoutCancel(ctx)) }()

	fmt.Printf("\n| a snapshot held for %s beside %d commands/s: after | server time p50, p95 | plain commands, 16 clients | the reader's buffers for its last 500 notes | dead rows: subjects, notes |\n|---|---|---|---|---|\n", b.heldFor, steadyRate)
	row := func(what string, times []float64) error {
		m, err := b.byPgbench(asOwner(b.cluster.URL), "note.sql", 16)(ctx, b.each)
		if err != nil {
			return err
		}
		buffers, notes, err := pageBuffers(ctx, watch, "select n.xid::text, n.id from road.note n order by n.xid desc, n.id desc offset 500 limit 1")
		if err != nil {
			return err
		}
		var subjects, dead int64
		if err := watch.QueryRow(ctx, `
			select coalesce(sum(n_dead_tup) filter (where relname = 'subject'), 0)::bigint, coalesce(sum(n_dead_tup) filter (where relname = 'note'), 0)::bigint
			from pg_stat_user_tables where schemaname = 'road'`).Scan(&subjects, &dead); err != nil {
			return fmt.Errorf("counting dead rows: %w", err)
		}
		fmt.Printf("| %s | %.2f, %.2f ms | %.0f/s | %d (%d notes) | %d, %d |\n", what, quantile(times, 0.5), quantile(times, 0.95), m.perSecond, buffers, notes, subjects, dead)
		return nil
	}
	steady := func(d time.Duration) ([]float64, error) {
		if _, err := s.times(); err != nil { // those of before
			return nil, err
		}
		sent, _, err := s.pace(ctx, d, func(c *sender, i int) error { return c.note(fmt.Sprintf("bench-%d", 16+i%steadyFixtures)) })
		if err != nil {
			return nil, err
		}
		// what is older than half of this time is pruned, as the job does it
		for pruned := 1; pruned > 0; {
			if err := watch.QueryRow(ctx, "select road.prune_notes($1)", d/2).Scan(&pruned); err != nil {
				return nil, fmt.Errorf("pruning: %w", err)
			}
		}
		return s.timesOf(sent)
	}
	step := max(time.Second, b.heldFor/heldParts)
	say("held snapshot: before")
	times, err := steady(min(step, 10*time.Second))
	if err == nil {
		err = row("nothing held", times)
	}
	if err != nil {
		return err
	}
	if _, err := holder.Exec(ctx, "begin isolation level repeatable read; select count(*) from road.sender"); err != nil {
		return fmt.Errorf("holding a snapshot: %w", err)
	}
	for i := range heldParts {
		say(fmt.Sprintf("held snapshot: part %d of %d", i+1, heldParts))
		if times, err = steady(step); err == nil {
			err = row((time.Duration(i+1) * step).String(), times)
		}
		if err != nil {
			return err
		}
	}
	if _, err := holder.Exec(ctx, "rollback"); err != nil {
		return fmt.Errorf("letting the snapshot go: %w", err)
	}
	if _, err := watch.Exec(ctx, "vacuum road.subject, road.note, road.command, road.log"); err != nil {
		return fmt.Errorf("vacuuming: %w", err)
	}
	if times, err = steady(min(step, 10*time.Second)); err != nil {
		return err
	}
	return row("let go and vacuumed", times)
}
