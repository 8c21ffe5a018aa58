package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"
)

// State is what a database has and what this binary carries.
type State struct {
	Migration     int32 // 0: empty database
	WantMigration int32
	CodeHash      string // empty: nothing installed
	WantCodeHash  string
	InstalledAt   time.Time
	InstalledBy   string
}

// What Check finds amiss.
type Mismatch int

// Kinds of MismatchError.
const (
	OldDatabase Mismatch = iota + 1 // the database lacks migrations
	OldServer                       // the database has migrations that this binary does not know
	NoCode                          // no functions are installed
	OtherCode                       // other functions are installed
)

// MismatchError says that a database and this binary do not belong together, and which side is old.
type MismatchError struct {
	Kind  Mismatch
	State State
}

func (e *MismatchError) Error() string {
	s := e.State
	switch e.Kind {
	case OldDatabase:
		if s.Migration == 0 {
			return fmt.Sprintf("the database is empty, this server carries migration %d: run `umpire migrate`", s.WantMigration)
		}
		return fmt.Sprintf("the database has migration %d, this server carries %d: run `umpire migrate`", s.Migration, s.WantMigration)
	case OldServer:
		return fmt.Sprintf("the database is newer than this server (it has migration %d, this server carries %d): deploy the newer server",
			s.Migration, s.WantMigration)
	case NoCode:
		return fmt.Sprintf("the database has migration %d but no functions: run `umpire migrate`", s.Migration)
	default:
		return fmt.Sprintf("the database's functions are not this server's: %.12s was installed at %s by %s, this server carries %.12s; "+
			"run `umpire migrate` with the newer of the two", s.CodeHash, s.InstalledAt.UTC().Format(time.RFC3339), s.InstalledBy, s.WantCodeHash)
	}
}

// Querier is a connection, a pool or a transaction.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Check compares a database with this binary. The error is a *MismatchError when they do not belong together. The role
// needs select on public.schema_version and road.installed_code.
func Check(ctx context.Context, conn Querier) (State, error) {
	return Embedded().Check(ctx, conn)
}

// Check compares a database with a Source.
func (s Source) Check(ctx context.Context, conn Querier) (State, error) {
	migration, hash, err := s.Carried()
	if err != nil {
		return State{}, err
	}
	state, err := readCode(ctx, conn)
	if err != nil {
		return state, err
	}
	state.WantMigration, state.WantCodeHash = migration, hash
	if state.Migration, err = readMigration(ctx, conn); err != nil {
		return state, err
	}
	mismatch := func(kind Mismatch) (State, error) { return state, &MismatchError{Kind: kind, State: state} }
	switch {
	case state.Migration < state.WantMigration:
		return mismatch(OldDatabase)
	case state.Migration > state.WantMigration:
		return mismatch(OldServer)
	case state.CodeHash == "":
		return mismatch(NoCode)
	case state.CodeHash != state.WantCodeHash:
		return mismatch(OtherCode)
	}
	return state, nil
}

// Carried is the migration number and the code hash of a Source.
func (s Source) Carried() (migration int32, codeHash string, err error) {
	s = s.orEmbedded()
	files, err := migrate.FindMigrations(s.Migrations)
	if err != nil {
		return 0, "", fmt.Errorf("loading the migrations: %w", err)
	}
	codeHash, err = CheckCodeHash(s.Functions)
	return int32(len(files)), codeHash, err
}

// readMigration is 0 when tern was never here.
func readMigration(ctx context.Context, conn Querier) (int32, error) {
	var exists bool
	if err := conn.QueryRow(ctx, "select pg_catalog.to_regclass($1) is not null", versionTable).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		return 0, nil
	}
	var number int32
	if err := conn.QueryRow(ctx, "select version from "+versionTable).Scan(&number); err != nil {
		return 0, fmt.Errorf("reading %s: %w", versionTable, err)
	}
	return number, nil
}

// readCode fills the fields of State that tell of the last install; none when there was none.
func readCode(ctx context.Context, conn Querier) (State, error) {
	var s State
	err := conn.QueryRow(ctx, `
		select code_hash, installed_at, installed_by
		from road.installed_code
		order by installed_at desc
		limit 1`).Scan(&s.CodeHash, &s.InstalledAt, &s.InstalledBy)
	var pgErr *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return s, nil
	case errors.As(err, &pgErr) && (pgErr.Code == "42P01" || pgErr.Code == "3F000"): // no such table, no such schema
		return s, nil
	case err != nil:
		return s, fmt.Errorf("reading road.installed_code: %w", err)
	}
	return s, nil
}
