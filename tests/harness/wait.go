package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// WaitFor asks until sql, one boolean, is true; no row is as good as false. At the deadline the test fails with a picture of all sessions.
func (db *DB) WaitFor(t testing.TB, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.url)
	if err != nil {
		t.Fatalf("harness: connecting: %v", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		var yes *bool
		err := conn.QueryRow(ctx, sql, args...).Scan(&yes)
		switch {
		case err == nil && yes != nil && *yes:
			return
		case errors.Is(err, pgx.ErrNoRows): // not yet
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			t.Fatalf("harness: waiting for %q: %v", sql, err)
		}
		timer := time.NewTimer(5 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			t.Fatalf("harness: %s %v did not become true within %s\n%s", sql, args, deadline, db.Sessions())
		}
	}
}

// WaitForLock waits until a backend (conn.PgConn().PID()) waits for a lock that another session holds.
func (db *DB) WaitForLock(t testing.TB, pid uint32) {
	t.Helper()
	db.WaitFor(t, `
		select exists (select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock' and state = 'active')
		   and cardinality(pg_blocking_pids($1)) > 0`, int32(pid))
}

// Sessions pictures what every session of this database does right now.
func (db *DB) Sessions() string {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.url)
	if err != nil {
		return fmt.Sprintf("(no picture of the sessions: %v)", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `
		select format('pid %s %s %s, waits for %s, blocked by %s, xid %s: %s', pid, application_name, coalesce(state, backend_type),
		              coalesce(wait_event_type || ' ' || wait_event, 'nothing'), pg_blocking_pids(pid), coalesce(backend_xid::text, 'none'),
		              left(regexp_replace(query, '\s+', ' ', 'g'), 200))
		from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()
		order by pid`)
	if err != nil {
		return fmt.Sprintf("(no picture of the sessions: %v)", err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Sprintf("(no picture of the sessions: %v)", err)
	}
	return "sessions:\n  " + strings.Join(lines, "\n  ")
}
