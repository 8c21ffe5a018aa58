package harness

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"umpire/server/postgres"
)

// deadline bounds everything a test waits for. Reaching it is a failure, never a measurement.
const deadline = 10 * time.Second

// DB is a database that belongs to one test.
type DB struct {
	cluster *postgres.Cluster
	name    string
	url     string
}

// New clones the template for this test. The clone is checked and dropped after it.
func New(t testing.TB) *DB {
	t.Helper()
	s := shared.Load()
	if s == nil {
		t.Fatal("harness: this package needs func TestMain(m *testing.M) { harness.Main(m) }")
	}
	if err := s.start(); err != nil {
		t.Fatalf("harness: %v", err)
	}
	ctx := t.Context()
	name := fmt.Sprintf("umpire_test_%d_%d", os.Getpid(), s.clones.Add(1))
	admin, err := pgx.Connect(ctx, s.cluster.URL)
	if err != nil {
		t.Fatalf("harness: %v", err)
	}
	_, err = admin.Exec(ctx, "create database "+quote(name)+" template "+quote(s.template))
	_ = admin.Close(ctx)
	if err != nil {
		t.Fatalf("harness: cloning the template: %v", err)
	}
	db := &DB{cluster: s.cluster, name: name, url: s.cluster.URLFor(name)}
	t.Cleanup(func() {
		db.checkInvariants(t)
		Coverage(t, db.url)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("harness: dropping %s: %v", name, err)
		}
	})
	return db
}

// NewProcess is NewOwn for tests that kill or restart their server or need its folder or programs. A container has none
// of that, so the test is left out where UMPIRE_TEST_IMAGE says that servers are containers.
func NewProcess(t testing.TB, o postgres.Options) *DB {
	t.Helper()
	if image := os.Getenv(ImageVariable); image != "" {
		t.Skipf("needs a server that runs as a process of ours, and %s=%s asks for containers", ImageVariable, image)
	}
	return NewOwn(t, o)
}

// NewOwn starts a server for this test alone, migrates its database and stops it after the test. For tests that count or
// change what belongs to the whole server. UMPIRE_TEST_IMAGE makes it a container. Where the tests run on somebody's
// server (UMPIRE_TEST_DATABASE_URL) and no image is named, the test is left out: another server would not be the one that
// is to be tested.
func NewOwn(t testing.TB, o postgres.Options) *DB {
	t.Helper()
	o.Image = os.Getenv(ImageVariable)
	if o.Image == "" && os.Getenv(URLVariable) != "" {
		t.Skipf("needs a server of its own, and %s names somebody's", URLVariable)
	}
	settings := profilerSettings()
	maps.Copy(settings, o.Settings)
	o.Settings = settings
	var source postgres.Source
	if s := shared.Load(); s != nil {
		source = s.config.Source
	}
	ctx := t.Context()
	cluster, err := postgres.Open(ctx, o)
	if err != nil {
		t.Fatalf("harness: %v", err)
	}
	db := &DB{cluster: cluster, url: cluster.URL}
	t.Cleanup(func() {
		if cluster.Running() {
			db.checkInvariants(t)
			Coverage(t, db.url)
		} else {
			t.Log("harness: the server does not run any more, the invariants were not checked")
		}
		checkLog(t, cluster)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := cluster.Close(ctx); err != nil {
			t.Errorf("harness: stopping the server: %v", err)
		}
	})
	if err := prepareDatabase(ctx, cluster.URL, source); err != nil {
		t.Fatalf("harness: %v", err)
	}
	return db
}

// URL is the superuser's.
func (db *DB) URL() string { return db.url }

// Cluster is the server; with New it is shared with the other tests of the process.
func (db *DB) Cluster() *postgres.Cluster { return db.cluster }

// Conn connects as superuser; closed after the test.
func (db *DB) Conn(t testing.TB) *pgx.Conn {
	t.Helper()
	return db.ConnWith(t, nil)
}

// ConnAs connects with a role set in the startup packet, as the server's pools do.
func (db *DB) ConnAs(t testing.TB, role string) *pgx.Conn {
	t.Helper()
	return db.ConnWith(t, func(c *pgx.ConnConfig) { c.RuntimeParams["role"] = role })
}

// ConnWith connects after change, which may be nil, has seen the configuration.
func (db *DB) ConnWith(t testing.TB, change func(*pgx.ConnConfig)) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(db.url)
	if err != nil {
		t.Fatalf("harness: %v", err)
	}
	config.RuntimeParams["application_name"] = t.Name()
	if change != nil {
		change(config)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("harness: connecting: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		_ = conn.Close(ctx)
	})
	return conn
}

// Pool opens a pool after change, which may be nil, has seen the configuration; closed after the test.
func (db *DB) Pool(t testing.TB, change func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(db.url)
	if err != nil {
		t.Fatalf("harness: %v", err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = t.Name()
	if change != nil {
		change(config)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("harness: pool: %v", err)
	}
	t.Cleanup(func() {
		closed := make(chan struct{})
		go func() {
			pool.Close()
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(deadline):
			t.Error("harness: a connection of the pool was never released")
		}
	})
	return pool
}

// PoolAs opens a pool whose connections have a role set in the startup packet.
func (db *DB) PoolAs(t testing.TB, role string) *pgxpool.Pool {
	t.Helper()
	return db.Pool(t, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["role"] = role })
}

// HasExtension says whether the database has an extension, such as pgtap or plpgsql_check.
func (db *DB) HasExtension(t testing.TB, name string) bool {
	t.Helper()
	var has bool
	err := db.Conn(t).QueryRow(t.Context(), "select exists (select from pg_extension where extname = $1)", name).Scan(&has)
	if err != nil {
		t.Fatalf("harness: %v", err)
	}
	return has
}

// checkInvariants fails the test for every table with a secret in it, and for every row of road.invariants(), where that
// exists.
func (db *DB) checkInvariants(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, db.url)
	if err != nil {
		t.Errorf("harness: connecting to check the invariants: %v", err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	checkSecrets(ctx, t, conn)
	var exists bool
	if err := conn.QueryRow(ctx, "select to_regprocedure('road.invariants()') is not null").Scan(&exists); err != nil {
		t.Errorf("harness: %v", err)
		return
	}
	if !exists {
		return
	}
	rows, err := conn.Query(ctx, "select name, detail from road.invariants()")
	if err != nil {
		t.Errorf("harness: road.invariants(): %v", err)
		return
	}
	var name, detail string
	_, err = pgx.ForEachRow(rows, []any{&name, &detail}, func() error {
		t.Errorf("invariant %s broken: %s", name, detail)
		return nil
	})
	if err != nil {
		t.Errorf("harness: road.invariants(): %v", err)
	}
}
