package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"
)

// versionTable is tern's, also named in tern.conf.
const versionTable = "public.schema_version"

// ternLock is the advisory lock that tern's library and command take for each of their steps. We hold it from before the
// first to after the last, which is allowed (a session may take it again), so that no one else gets in between.
const ternLock = int64(9628173550095224)

// MigrateOptions for Migrate.
type MigrateOptions struct {
	// Force installs over functions that somebody changed in the database.
	Force bool
	// Log is told what is being done, one line at a time. May be nil.
	Log func(string)
	// Source to use instead of what the binary carries; for tests.
	Source Source
}

// Report is what Migrate found and did.
type Report struct {
	From, To  int32            // migration numbers
	Applied   []string         // migration files run, in order
	CodeHash  string           // of the functions now installed
	Installed bool             // false: they were already
	Changes   []FunctionChange // how the database's functions differed from the last install, before this run
}

// Migrate brings a database to this binary's migrations and functions. Any number of processes may call it at once: one
// works, the others wait and find nothing to do. It needs a direct connection: a pooler in transaction mode gives the lock
// to whoever comes next.
func Migrate(ctx context.Context, connString string, o MigrateOptions) (Report, error) {
	log := o.Log
	if log == nil {
		log = func(string) {}
	}
	source := o.Source.orEmbedded()
	code, err := loadCode(source.Functions)
	if err != nil {
		return Report{}, err
	}

	config, err := pgx.ParseConfig(connString)
	if err != nil {
		return Report{}, fmt.Errorf("database URL: %w", err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "umpire migrate"
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Severity != "NOTICE" || !strings.HasSuffix(n.Message, "skipping") { // "… already exists, skipping"
			log(strings.ToLower(n.Severity) + ": " + n.Message)
		}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Report{}, fmt.Errorf("connecting to migrate: %w", err)
	}
	defer closeConn(ctx, conn)
	if err := direct(ctx, conn); err != nil {
		return Report{}, err
	}
	if err := lock(ctx, conn, log); err != nil {
		return Report{}, fmt.Errorf("waiting for the migration lock: %w", err)
	}
	defer unlock(ctx, conn)

	m := migration{conn: conn, source: source, code: code, force: o.Force, log: log}
	return m.run(ctx)
}

// direct refuses a pooler: it hands out process ids of its own making for cancel requests.
func direct(ctx context.Context, conn *pgx.Conn) error {
	var pid uint32
	if err := conn.QueryRow(ctx, "select pg_catalog.pg_backend_pid()").Scan(&pid); err != nil {
		return err
	}
	if pid != conn.PgConn().PID() {
		return errors.New("this URL goes through a connection pooler; migrating needs a direct connection to PostgreSQL (it holds a session lock)")
	}
	return nil
}

// lock asks again and again rather than wait inside the server: a statement that waits holds a snapshot, and `create
// index concurrently` in a migration would wait for that snapshot, which waits for the migration.
func lock(ctx context.Context, conn *pgx.Conn, log func(string)) error {
	for first := true; ; first = false {
		var ok bool
		if err := conn.QueryRow(ctx, "select pg_catalog.pg_try_advisory_lock($1)", ternLock).Scan(&ok); err != nil {
			return err
		}
		if ok {
			return nil
		}
		if first {
			log("another process is migrating this database; waiting")
		}
		if err := pause(ctx, 30*time.Millisecond+rand.N(40*time.Millisecond)); err != nil {
			return err
		}
	}
}

// unlock lets the next one in at once; the end of the session would do it as well.
func unlock(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, _ = conn.Exec(ctx, "select pg_catalog.pg_advisory_unlock($1)", ternLock)
}

// migration is one run of Migrate, under the lock.
type migration struct {
	conn   *pgx.Conn
	source Source
	code   *code
	force  bool
	log    func(string)
}

func (m *migration) run(ctx context.Context) (Report, error) {
	report := Report{CodeHash: m.code.hash}

	tern, err := migrate.NewMigrator(ctx, m.conn, versionTable)
	if err != nil {
		return report, fmt.Errorf("%s: %w", versionTable, err)
	}
	tern.Data = map[string]any{} // before LoadMigrations, which evaluates the files
	if err := tern.LoadMigrations(m.source.Migrations); err != nil {
		return report, fmt.Errorf("loading the migrations: %w", err)
	}
	for _, one := range tern.Migrations {
		if strings.Contains(one.UpSQL, noValue) {
			return report, fmt.Errorf("migrations/%s: a template key without a value", one.Name)
		}
	}
	if report.From, err = tern.GetCurrentVersion(ctx); err != nil {
		return report, fmt.Errorf("reading %s: %w", versionTable, err)
	}
	report.To = report.From
	if carried := int32(len(tern.Migrations)); report.From > carried {
		return report, &MismatchError{Kind: OldServer, State: State{Migration: report.From, WantMigration: carried}}
	}

	// What people changed is looked at before the migrations change functions themselves.
	var before snapshot
	err = m.inTx(ctx, func(tx pgx.Tx) (err error) {
		before, err = takeSnapshot(ctx, tx)
		return err
	})
	if err != nil {
		return report, fmt.Errorf("reading the installed functions: %w", err)
	}
	report.Changes = before.changes()
	lost := lossy(report.Changes)
	for _, c := range report.Changes {
		m.log(fmt.Sprintf("%s since the last install: %s\n%s", c.Kind, c.Signature, c.Diff))
	}
	installed, err := installedHash(ctx, m.conn)
	if err != nil {
		return report, err
	}
	needed := installed != m.code.hash || m.force && len(lost) > 0
	if needed && len(lost) > 0 && !m.force {
		return report, &TunedError{Changes: lost}
	}

	tern.OnStart = func(_ int32, name, _, _ string) {
		m.log("migrating: " + name)
		report.Applied = append(report.Applied, name)
	}
	if err := tern.Migrate(ctx); err != nil {
		report.Applied = report.Applied[:max(0, len(report.Applied)-1)]
		report.To = report.From + int32(len(report.Applied))
		return report, migrationError(m.source.Migrations, err)
	}
	report.To = report.From + int32(len(report.Applied))
	if len(report.Applied) > 0 && len(before.installed) > 0 {
		err := m.inTx(ctx, func(tx pgx.Tx) error {
			after, err := takeSnapshot(ctx, tx)
			if err != nil {
				return err
			}
			return adopt(ctx, tx, before, after)
		})
		if err != nil {
			return report, fmt.Errorf("noting functions changed by migrations: %w", err)
		}
	}

	if !needed {
		return report, nil
	}
	if err := m.install(ctx, before); err != nil {
		return report, fmt.Errorf("installing the functions: %w", err)
	}
	report.Installed = true
	return report, nil
}

func (m *migration) install(ctx context.Context, before snapshot) error {
	m.log("installing the functions, hash " + m.code.hash)
	// The code itself runs with the session's own search path.
	err := m.inTx(ctx, func(tx pgx.Tx) error {
		if m.force {
			// The package guards itself for those who install it with tern's own command.
			if _, err := tx.Exec(ctx, "select pg_catalog.set_config('umpire.force', 'on', true)"); err != nil {
				return err
			}
		}
		if err := m.code.run(ctx, m.conn); err != nil {
			return err
		}
		after, err := takeSnapshot(ctx, tx)
		if err != nil {
			return err
		}
		if over := overwritten(before, after); len(over) > 0 && !m.force {
			return &TunedError{Changes: over}
		}
		recorded, err := installedHash(ctx, m.conn)
		if err != nil {
			return err
		}
		if recorded != m.code.hash {
			return fmt.Errorf("install.sql did not record its hash: it must end with the template %q", CodeHashFile)
		}
		return nil
	})
	return err
}

func (m *migration) inTx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, m.conn, f)
}

// installedHash is empty when nothing was installed yet.
func installedHash(ctx context.Context, conn *pgx.Conn) (string, error) {
	state, err := readCode(ctx, conn)
	return state.CodeHash, err
}

// migrationError finds the place in the migration's file.
func migrationError(migrations fs.FS, err error) error {
	var failed migrate.MigrationPgError
	if !errors.As(err, &failed) {
		return fmt.Errorf("migrating: %w", err)
	}
	p := place{}
	if text, readErr := fs.ReadFile(migrations, failed.MigrationName); readErr == nil && failed.Position > 0 {
		// What was sent is the file's upper part, trimmed, or one statement of it.
		p = locate(failed.Sql, int(failed.Position), 0)
		if i := strings.Index(string(text), failed.Sql); i >= 0 {
			p.line += strings.Count(string(text[:i]), "\n")
		}
	}
	return &SQLError{File: "migrations/" + failed.MigrationName, Line: p.line, Column: p.column, Text: p.text, PgError: failed.PgError}
}
