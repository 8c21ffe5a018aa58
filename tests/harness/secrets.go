package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
)

// Canary begins every value of a test that is a secret: shown once, or kept out of logs and tables.
const Canary = "umpire_canary_"

// secret is any bearer token (tests make real ones) and every canary, for Go and for Postgres.
const secret = `umt_[A-Za-z0-9_-]{43}|` + Canary + `[a-z0-9]+`

// Leaks returns the lines that hold a secret, each with the secret itself left out.
func Leaks(r io.Reader) ([]string, error) {
	pattern, err := regexp.Compile(secret)
	if err != nil {
		return nil, err
	}
	var found []string
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if pattern.MatchString(line) {
			line = pattern.ReplaceAllStringFunc(line, func(s string) string { return s[:4] + "..." })
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return found, err
		}
	}
}

// LeakedRows returns the tables that have a row with a secret in it, with the number of rows.
func LeakedRows(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	var every *string
	err := conn.QueryRow(ctx, `
		select string_agg(format('select %L as name, count(*) as rows from %s t where t::text ~ $1', c.oid::regclass, c.oid::regclass), ' union all ')
		from pg_class c
		where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
			and c.relpersistence <> 't'`).Scan(&every)
	if err != nil {
		return nil, fmt.Errorf("listing the tables: %w", err)
	}
	if every == nil {
		return nil, nil
	}
	rows, err := conn.Query(ctx, `select format('%s: %s rows', name, rows) from (`+*every+`) t where rows > 0`, secret)
	if err != nil {
		return nil, fmt.Errorf("looking for secrets in tables: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for secrets in tables: %w", err)
	}
	return found, nil
}

// leaksInLog looks into a server's log, where there is one to see.
func leaksInLog(c *postgres.Cluster) ([]string, error) {
	if c.Log == "" {
		return nil, nil
	}
	f, err := os.Open(c.Log)
	if err != nil {
		return nil, fmt.Errorf("reading the server's log: %w", err)
	}
	defer func() { _ = f.Close() }()
	return Leaks(f)
}

// checkSecrets fails the test for each table with a secret in it.
func checkSecrets(ctx context.Context, t testing.TB, conn *pgx.Conn) {
	t.Helper()
	leaked, err := LeakedRows(ctx, conn)
	if err != nil {
		t.Errorf("harness: %v", err)
	}
	for _, where := range leaked {
		t.Errorf("a secret was stored in table %s", where)
	}
}

// checkLog fails the test for each line of its server's log with a secret in it.
func checkLog(t testing.TB, c *postgres.Cluster) {
	t.Helper()
	leaked, err := leaksInLog(c)
	if err != nil {
		t.Errorf("harness: %v", err)
	}
	for _, line := range leaked {
		t.Errorf("a secret is in the server's log: %s", line)
	}
}
