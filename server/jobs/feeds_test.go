package jobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/jobs"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// outbox makes a database whose notes, more than two batches, are 40 days old.
func outbox(t *testing.T) *harness.DB {
	t.Helper()
	db := harness.New(t)
	conn := db.Conn(t)
	exec(t, conn, `
		select road.sender_add('desk', sha256('desk'));
		select road.execute('desk', 'event', 'event', 'cup', 'create', 'cup', '{"name": "Cup"}');
		select road.execute('desk', 'event', 'event', 'cup', 'fixture_put', 'final', '{"fixture": "final", "sport": "football", "home": "A", "away": "B"}', '{"rows": {"fixture/final/schedule": null}}');
		select count(*) from generate_series(1, 1100) i cross join lateral road.execute('desk', 'fixture', 'fixture', 'final', 'note', 'n' || i, '{"text": "x"}') r;
		update road.note set at = at - interval '40 days';
		update road.log set at = at - interval '40 days'`)
	return db
}

// C-118: old notes go, batch by batch; of two processes that prune at once one works and the other has nothing to do.
func TestC118PruneNotes(t *testing.T) {
	db := outbox(t)
	conn, other := db.Conn(t), db.Conn(t)
	exec(t, other, "begin; select from road.feed for no key update")
	if n, err := jobs.PruneNotes(t.Context(), conn, 30*24*time.Hour); n != 0 || err != nil {
		t.Errorf("while another process prunes: %d, %v", n, err)
	}
	exec(t, other, "rollback")
	if n, err := jobs.PruneNotes(t.Context(), conn, 30*24*time.Hour); n != 1103 || err != nil {
		t.Errorf("%d notes, %v; want 1103", n, err)
	}
	if n, err := jobs.PruneNotes(t.Context(), conn, 30*24*time.Hour); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}

// A consumer that nobody reads is given up, loudly and once.
func TestExpireConsumers(t *testing.T) {
	db := outbox(t)
	conn := db.Conn(t)
	exec(t, conn, `
		select road.sender_add('stats', sha256('stats'), p_may_read_log => true);
		select road.consumer_create('stats', 'table', true)`)
	var said harness.Log
	for range 2 {
		if err := jobs.ExpireConsumers(t.Context(), conn, logger(&said)); err != nil {
			t.Fatal(err)
		}
	}
	if got := said.String(); strings.Count(got, "a consumer has expired") != 1 || !strings.Contains(got, "consumer=table sender=stats") {
		t.Errorf("the log says:\n%s", got)
	}
}

// What the database says may hold values: only its SQLSTATE is passed on, and the messages of our own.
func TestErrorsOfTheDatabase(t *testing.T) {
	db := outbox(t)
	conn := db.Conn(t)
	exec(t, conn, "update road.feed set system_identifier = 1")
	if _, err := jobs.PruneNotes(t.Context(), conn, time.Hour); err == nil || !strings.Contains(err.Error(), "umpire ops rebase") {
		t.Errorf("%v", err)
	}
	before := ""
	if err := conn.QueryRow(t.Context(), "select pg_get_functiondef('road.now()'::regprocedure)").Scan(&before); err != nil {
		t.Fatal(err)
	}
	defer exec(t, conn, before) // which the invariants ask
	exec(t, conn, "select road.feed_rebase(); create or replace function road.now() returns timestamptz language sql as $$ select 'secret'::text::timestamptz $$")
	if _, err := jobs.PruneNotes(t.Context(), conn, time.Hour); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "SQLSTATE 22007") {
		t.Errorf("%v", err)
	}
}
