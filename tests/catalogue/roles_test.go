package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"umpire/tests/harness"
)

// What each role may call; everything else it may not.
var callable = map[string][]string{
	"umpire_app": {
		"road.consumer_acknowledge", "road.consumer_create", "road.consumer_drop", "road.consumer_expire", "road.consumer_list", "road.consumer_page",
		"road.consumer_rewind", "road.execute", "road.execute_many", "road.fact_key", "road.prune_notes", "road.read", "road.record_failure", "road.saved_command", "road.sender_by_token",
	},
	"umpire_reader": {"road.feed_page", "road.notes", "road.read"},
	"umpire_ops": {
		"road.consumer_acknowledge", "road.consumer_create", "road.consumer_drop", "road.consumer_expire", "road.consumer_list", "road.consumer_page",
		"road.consumer_rewind", "road.failure_list", "road.feed_rebase", "road.invariants", "road.notes", "road.prune_notes", "road.read", "road.saved_command", "road.sender_add", "road.sender_disable", "road.sender_list",
		"road.sender_rotate", "road.verify",
	},
}

// What each role may read; it may write nothing.
var readable = map[string][]string{
	"umpire_app":    {"road.catalogue_command", "road.catalogue_view", "road.installed_code", "road.installed_function", "road.kind", "road.workflow"},
	"umpire_reader": {"road.catalogue_command", "road.catalogue_view", "road.installed_code", "road.installed_function", "road.kind", "road.workflow"},
	"umpire_ops": {
		"road.catalogue_command", "road.catalogue_view", "road.command_failure", "road.consumer", "road.feed", "road.installed_code", "road.installed_function", "road.kind", "road.log",
		"road.note", "road.subject", "road.workflow", "sport.event", "sport.event_sources", "sport.fixture", "sport.fixture_lineup", "sport.fixture_result",
		"sport.fixture_schedule", "sport.fixture_score", "sport.fixture_status", "sport.play", "sport.source_claim", "sport.squad",
	},
}

// login makes a login that is a member of the role and logs in with it.
func login(t *testing.T, db *harness.DB, role string) *pgx.Conn {
	t.Helper()
	name := fmt.Sprintf("%s_login_%d_%s", role, os.Getpid(), strings.ToLower(t.Name()[:12]))
	admin := db.Conn(t)
	if _, err := admin.Exec(t.Context(), fmt.Sprintf("create role %q login password 'for-this-test' in role %s", name, role)); err != nil {
		t.Fatal(err)
	}
	conn := db.ConnWith(t, func(c *pgx.ConnConfig) { c.User, c.Password = name, "for-this-test" })
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own has ended
		defer cancel()
		_ = conn.Close(ctx)
		cleaner, err := pgx.Connect(ctx, db.URL())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = cleaner.Close(ctx) }()
		if _, err := cleaner.Exec(ctx, fmt.Sprintf("drop owned by %q; drop role %q", name, name)); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func denied(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "42501"
}

func TestRolesReachTheirFunctionsOnly(t *testing.T) {
	db := harness.New(t)
	all := installed(t, db.Conn(t))
	for role, may := range callable {
		conn := login(t, db, role)
		for _, f := range all {
			var can bool
			if err := conn.QueryRow(t.Context(), "select has_function_privilege(to_regprocedure($1), 'execute')", f.Signature).Scan(&can); err != nil {
				t.Fatal(err)
			}
			if want := slices.Contains(may, f.Name); can != want {
				t.Errorf("%s: may execute %s: %v, want %v", role, f.Signature, can, want)
			}
			if can && !f.Definer {
				t.Errorf("%s may execute %s, which is not SECURITY DEFINER", role, f.Signature)
			}
		}
	}
}

// "No write without the lock" holds by grant.
func TestRolesWriteNoTable(t *testing.T) {
	db := harness.New(t)
	tables := list[string](t, db.Conn(t), `
		select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname in `+schemas+` and c.relkind in ('r', 'p', 'v', 'm') order by 1`)
	for role, may := range readable {
		conn := login(t, db, role)
		for _, table := range tables {
			for _, sql := range []string{
				"insert into %s default values", "delete from %s", "truncate %s", "do $$begin lock table %s in row exclusive mode; end$$",
				"alter table %s add column x text", "drop table %s", "create trigger x before insert on %s execute function suppress_redundant_updates_trigger()",
			} {
				if _, err := conn.Exec(t.Context(), fmt.Sprintf(sql, table)); !denied(err) {
					t.Errorf("%s: %s: %v", role, fmt.Sprintf(sql, table), err)
				}
			}
			var column string
			if err := db.Conn(t).QueryRow(t.Context(), "select attname from pg_attribute where attrelid = to_regclass($1) and attnum = 1", table).Scan(&column); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Exec(t.Context(), fmt.Sprintf("update %s set %s = %s", table, column, column)); !denied(err) {
				t.Errorf("%s may update %s: %v", role, table, err)
			}
			_, err := conn.Exec(t.Context(), fmt.Sprintf("select * from %s limit 1", table))
			if want := slices.Contains(may, table); want && err != nil || !want && !denied(err) {
				t.Errorf("%s: may read %s: want %v, got %v", role, table, want, err)
			}
			if _, err := conn.Exec(t.Context(), fmt.Sprintf("select from %s for key share", table)); !denied(err) {
				t.Errorf("%s may lock rows of %s: %v", role, table, err)
			}
		}
		for _, sql := range []string{
			"create table road.x ()", "create function sport.x() returns int language sql as 'select 1'", "create schema x",
			"set role umpire_owner", "alter function road.now() owner to current_user", "alter role umpire_app superuser",
			"select answer from road.command", "select token_sha256 from road.sender", "create or replace function road.now() returns timestamptz language sql as 'select now()'",
		} {
			if _, err := conn.Exec(t.Context(), sql); !denied(err) {
				t.Errorf("%s: %s: %v", role, sql, err)
			}
		}
	}
}

func TestAppScoresAndNothingElse(t *testing.T) {
	db := harness.New(t)
	ops, app, reader := login(t, db, "umpire_ops"), login(t, db, "umpire_app"), login(t, db, "umpire_reader")
	must := func(conn *pgx.Conn, sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	mustNot := func(conn *pgx.Conn, sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); !denied(err) {
			t.Errorf("%s: %v, want permission denied", sql, err)
		}
	}
	must(ops, "select road.sender_add('scorer', sha256('one'))")
	must(ops, "select road.sender_rotate('scorer', sha256('two'))")
	must(ops, "select * from road.sender_list()")
	must(ops, "select subject_id, seq, outcome from road.command")
	mustNot(app, "select road.sender_add('intruder', sha256('x'))")
	mustNot(reader, "select road.sender_add('intruder', sha256('x'))")

	for n, sql := range []string{
		`select r.outcome from road.execute('scorer', 'event', 'event', 'cup', 'create', 'k1', '{"name": "Cup"}', p_token_sha256 => sha256('two')) r`,
		`select r.outcome from road.execute('scorer', 'event', 'event', 'cup', 'fixture_put', 'k2', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/final/schedule": null}}') r`,
		`select r.outcome from road.execute('scorer', 'football', 'fixture', 'final', 'period_start', 'k3', '{"period": "H1"}', '{"play": null}') r`,
	} {
		var outcome string
		if err := app.QueryRow(t.Context(), sql).Scan(&outcome); err != nil || outcome != "accepted" {
			t.Fatalf("command %d: %s %v", n+1, outcome, err)
		}
	}
	must(app, "select road.saved_command('scorer', 'k3')")
	must(app, "select road.read('fixture', 'final')")
	must(app, "select * from road.sender_by_token(sha256('two'))")
	must(app, "select road.record_failure('scorer', '', 'k4', 'football', 'goal', 'XX000', 'somewhere')")
	mustNot(app, "select * from road.notes('0', 0)")
	mustNot(app, "select road.refuse('a', 'b')")
	mustNot(app, "select road.dispatch(null)")
	mustNot(app, "select sport.fixture_verify(null)")
	mustNot(app, "select road.record_install('x')")

	must(reader, "select * from road.notes('0', 0)")
	must(reader, "select road.read('fixture', 'final')")
	mustNot(reader, `select road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'k9', '{"text": "x"}')`)
	mustNot(reader, "select road.saved_command('scorer', 'k3')")
	mustNot(reader, "select * from road.sender_by_token(sha256('two'))")

	must(ops, "select * from road.notes('0', 0)")
	must(ops, "select * from road.invariants()")
	must(ops, "select * from road.verify()")
	must(ops, "select road.sender_disable('scorer')")
	mustNot(ops, `select road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'k9', '{"text": "x"}')`)

	// C-131: who blocks whom, and ending that session.
	must(ops, "select pid, query, pg_blocking_pids(pid) from pg_stat_activity where state is not null")
	var sees *string
	if err := ops.QueryRow(t.Context(), "select query from pg_stat_activity where pid = $1", int32(app.PgConn().PID())).Scan(&sees); err != nil || sees == nil || strings.Contains(*sees, "insufficient privilege") {
		t.Errorf("ops does not see what the server does: %v %v", sees, err)
	}
	mustNot(app, fmt.Sprintf("select pg_terminate_backend(%d)", reader.PgConn().PID()))
	must(ops, fmt.Sprintf("select pg_terminate_backend(%d)", app.PgConn().PID()))
	if _, err := app.Exec(t.Context(), "select 1"); err == nil {
		t.Error("the session was not ended")
	}
}
