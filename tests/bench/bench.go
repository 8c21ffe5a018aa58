package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
)

// lastFixture: setup.sql makes bench-0 to bench-65. Goals go to bench-0 to bench-15, one client each; notes to the others.
const lastFixture = 65

// bed is the Postgres of a run, and what is needed to load it.
type bed struct {
	options
	cluster *postgres.Cluster
	pgbench string
	last    int // the last fixture that notes go to
}

func open(ctx context.Context, o options) (*bed, error) {
	settings := map[string]string{"max_connections": "150", "shared_buffers": "512MB", "autovacuum": "on", "checkpoint_timeout": "30min", "max_wal_size": "4GB"}
	if o.fsync {
		settings["fsync"], settings["full_page_writes"] = "on", "on"
	}
	cluster, err := postgres.Open(ctx, postgres.Options{Settings: settings, AllowInstall: true, Log: say})
	if err != nil {
		return nil, fmt.Errorf("bringing a Postgres: %w", err)
	}
	b := &bed{options: o, cluster: cluster, last: lastFixture}
	if b.pgbench, err = find("pgbench", cluster.Version/10000); err == nil {
		err = b.prepare(ctx, cluster.URL)
	}
	if err != nil {
		b.close(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

// asOwner is the address for sessions with the rights that the road's own statements run with. Both sides of a line that
// needs no server take it: a superuser is spared every question of rights, and those of the road are not.
func asOwner(url string) string {
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	return url + separator + "options=-c%20role%3Dumpire_owner"
}

func (b *bed) close(ctx context.Context) {
	if err := b.cluster.Close(ctx); err != nil {
		say("stopping Postgres: " + err.Error())
	}
}

// prepare migrates a database and runs setup.sql in it.
func (b *bed) prepare(ctx context.Context, url string) error {
	if _, err := postgres.Migrate(ctx, url, postgres.MigrateOptions{}); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	return b.script(ctx, url, "setup.sql", nil)
}

// script runs a file statement by statement; given replaces :name in it.
func (b *bed) script(ctx context.Context, url, name string, given map[string]string) error {
	text, err := os.ReadFile(filepath.Join(b.scripts, name))
	if err != nil {
		return fmt.Errorf("reading a script: %w", err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	sql := ""
	for part := range strings.SplitAfterSeq(string(text), ";\n") {
		if sql += part; strings.Count(sql, "$$")%2 == 1 {
			continue // within a function's body
		}
		for k, v := range given {
			sql = strings.ReplaceAll(sql, ":"+k, v)
		}
		begun := time.Now()
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if took := time.Since(begun); took > 2*time.Second {
			line, _, _ := strings.Cut(strings.TrimSpace(sql), " (")
			say(fmt.Sprintf("%s: %.60s: %s", name, line, took.Round(time.Second)))
		}
		sql = ""
	}
	return nil
}

// heading says what was measured on what, and nothing by which one could tell whose machine it is.
func (b *bed) heading() {
	fmt.Printf("PostgreSQL %d.%d, fsync %t; %s; %d cores, %s of memory, %s; %d rounds of %s a side; %s\n\n",
		b.cluster.Version/10000, b.cluster.Version%10000, b.fsync, runtime.Version(), runtime.NumCPU(), memory(), kernel(),
		b.rounds, b.each, time.Now().UTC().Format(time.DateOnly))
}

func memory() string {
	text, err := os.ReadFile("/proc/meminfo")
	var kb int64
	if err == nil {
		_, err = fmt.Sscanf(string(text), "MemTotal: %d kB", &kb)
	}
	if err != nil {
		return "an unknown amount"
	}
	return fmt.Sprintf("%d GiB", (kb+1<<19)>>20)
}

func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOOS
	}
	release, _, _ := strings.Cut(strings.TrimSpace(string(text)), "-")
	return runtime.GOOS + " " + release
}
