package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
)

const (
	// URLVariable names a server to use in place of one of our own.
	URLVariable = "UMPIRE_TEST_DATABASE_URL"
	// ImageVariable names an image whose containers are used in place of installed server binaries.
	ImageVariable = "UMPIRE_TEST_IMAGE"
)

// Settings are those that the tests need of a server, whoever starts it.
func Settings() map[string]string {
	return map[string]string{
		"max_connections":           "200",
		"max_prepared_transactions": "10",
	}
}

// Config changes what Main brings; the zero value is what tests normally want.
type Config struct {
	Settings map[string]string // server settings; ignored with UMPIRE_TEST_DATABASE_URL
	Source   postgres.Source   // migrations and functions; the embedded ones when empty
}

// setup is what a test process shares. It is filled at the first use, so that a run of tests that need no database
// starts none.
type setup struct {
	config Config

	once     sync.Once
	err      error
	cluster  *postgres.Cluster
	template string
	program  program

	clones atomic.Int64
}

// shared belongs to the test process: New has no other way to find what TestMain set up.
var shared atomic.Pointer[setup]

// Main runs a package's tests; call it from TestMain.
func Main(m *testing.M) { MainWith(m, Config{}) }

// MainWith is Main with a Config.
func MainWith(m *testing.M, c Config) {
	s := &setup{config: c}
	shared.Store(s)
	// The testing package exits with Run's result after TestMain. When a test panics or the process is killed, none of
	// this runs: the server then ends by itself (package postgres).
	m.Run()
	leaked, err := s.leaks()
	if err := errors.Join(err, s.end(), s.program.remove()); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
	}
	if leaked != nil {
		fmt.Fprintf(os.Stderr, "FAIL: harness: secrets are in the server's log:\n%s\n", strings.Join(leaked, "\n"))
		os.Exit(1)
	}
}

// leaks looks for secrets in the log of the server that the tests shared.
func (s *setup) leaks() ([]string, error) {
	if s.cluster == nil {
		return nil, nil
	}
	return leaksInLog(s.cluster)
}

func (s *setup) start() error {
	s.once.Do(func() { s.err = s.bring() })
	return s.err
}

func (s *setup) bring() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	settings := Settings()
	maps.Copy(settings, profilerSettings())
	maps.Copy(settings, s.config.Settings)
	cluster, err := postgres.Open(ctx, postgres.Options{
		URL: os.Getenv(URLVariable), Image: os.Getenv(ImageVariable), Settings: settings,
	})
	if err != nil {
		return err
	}
	s.cluster = cluster
	s.template = fmt.Sprintf("umpire_template_%d_%d", os.Getpid(), time.Now().UnixNano()%1e9)

	admin, err := pgx.Connect(ctx, cluster.URL)
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close(ctx) }()
	// Roles are the cluster's: test processes that share a server must not create them at once. tern's own lock is only
	// the database's.
	if _, err := admin.Exec(ctx, "select pg_advisory_lock(hashtext('umpire harness'))"); err != nil {
		return err
	}
	if _, err := admin.Exec(ctx, "create database "+quote(s.template)+" encoding 'UTF8' template template0"); err != nil {
		return err
	}
	if err := prepareDatabase(ctx, cluster.URLFor(s.template), s.config.Source); err != nil {
		return err
	}
	// No one may connect by accident: a template in use cannot be cloned.
	_, err = admin.Exec(ctx, "alter database "+quote(s.template)+" with allow_connections false")
	return err
}

// prepareDatabase migrates and adds the extensions that tests use, where there are any.
func prepareDatabase(ctx context.Context, url string, source postgres.Source) error {
	if _, err := postgres.Migrate(ctx, url, postgres.MigrateOptions{Source: source}); err != nil {
		return fmt.Errorf("preparing the test database: %w", err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, name := range []string{"plpgsql_check", "pgtap"} {
		var available bool
		err := conn.QueryRow(ctx, "select exists (select from pg_available_extensions where name = $1)", name).Scan(&available)
		if err != nil {
			return err
		}
		if available {
			if _, err := conn.Exec(ctx, "create extension if not exists "+name); err != nil {
				return fmt.Errorf("extension %s: %w", name, err)
			}
		}
	}
	return nil
}

func (s *setup) end() error {
	if s.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var dropped error
	if s.cluster.Durable && s.template != "" { // somebody's server: leave nothing in it
		dropped = s.drop(ctx, s.template)
	}
	return errors.Join(dropped, s.cluster.Close(ctx))
}

func (s *setup) drop(ctx context.Context, database string) error {
	return dropDatabase(ctx, s.cluster.URL, database)
}

func dropDatabase(ctx context.Context, adminURL, database string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "drop database if exists "+quote(database)+" with (force)")
	return err
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
