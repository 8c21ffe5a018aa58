package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Database is a pool or a connection whose role may execute road.prune_notes and road.consumer_expire.
type Database interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Feeds are the jobs that keep the outbox small: consumers that nobody reads expire, notes that everybody has are pruned.
// keep is how long notes are kept at the least; 30 days when 0.
func Feeds(db Database, log *slog.Logger, keep time.Duration) []Job {
	if keep == 0 {
		keep = 30 * 24 * time.Hour
	}
	return []Job{
		{Name: "expire consumers", Every: time.Minute, Limit: time.Minute, Do: func(ctx context.Context) error { return ExpireConsumers(ctx, db, log) }},
		{Name: "prune notes", Every: 10 * time.Minute, Limit: 5 * time.Minute, Do: func(ctx context.Context) error {
			n, err := PruneNotes(ctx, db, keep)
			if n > 0 {
				log.InfoContext(ctx, "notes pruned", "notes", n)
			}
			return err
		}},
	}
}

// PruneBatch is how many notes one transaction deletes: a few milliseconds, because it has a transaction id and so holds
// the horizon of every reader while it runs.
const PruneBatch = 500

// PruneNotes deletes the notes that are older than keep and that every live consumer has acknowledged, in small
// transactions with a pause after each, and returns how many. It stops at the end of ctx; what was deleted stays deleted.
func PruneNotes(ctx context.Context, db Database, keep time.Duration) (int, error) {
	total := 0
	for {
		var n int
		begun := time.Now()
		if err := db.QueryRow(ctx, `select road.prune_notes(p_keep => $1, p_limit => $2)`, keep, PruneBatch).Scan(&n); err != nil {
			return total, fmt.Errorf("pruning notes: %w", plain(err))
		}
		total += n
		if n < PruneBatch {
			return total, nil
		}
		timer := time.NewTimer(max(10*time.Millisecond, time.Since(begun)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return total, nil
		case <-timer.C:
		}
	}
}

// ExpireConsumers marks consumers that lag for too long, and says so loudly.
func ExpireConsumers(ctx context.Context, db Database, log *slog.Logger) error {
	rows, err := db.Query(ctx, `select consumer, sender, unread_since from road.consumer_expire()`)
	if err != nil {
		return fmt.Errorf("expiring consumers: %w", plain(err))
	}
	var name, sender string
	var since time.Time
	_, err = pgx.ForEachRow(rows, []any{&name, &sender, &since}, func() error {
		log.ErrorContext(ctx, "a consumer has expired: it lagged for longer than it may, and notes are no longer kept for it (umpire consumer list)",
			"consumer", name, "sender", sender, "unread_since", since)
		return nil
	})
	if err != nil {
		return fmt.Errorf("expiring consumers: %w", plain(err))
	}
	return nil
}

// plain leaves out a driver's text, which may hold values; messages of our own (class UM) are repeated.
func plain(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	if len(pg.Code) == 5 && pg.Code[:2] == "UM" {
		return errors.New(pg.Message)
	}
	return fmt.Errorf("SQLSTATE %s", pg.Code)
}
