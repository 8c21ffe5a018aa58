// Command schemaref writes docs/schema.md, the reference of the database: tables, types, functions, roles and the
// catalogue of commands, read from a database that the migrations and functions of this checkout have just made.
//
//	go run ./docs/schemaref           # write docs/schema.md
//	go run ./docs/schemaref -check    # exit 1 when it is stale
//
// It fails when something is not commented: the page is made of the comments.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/diff"

	"umpire/functions"
	"umpire/server/postgres"
)

const (
	regenerate   = "go run ./docs/schemaref"
	maxDiffLines = 60
)

func main() {
	out := flag.String("o", "docs/schema.md", "the file to write, or to check")
	check := flag.Bool("check", false, "write nothing; fail when the file is not what would be written")
	url := flag.String("url", "", "read this database, which must be migrated, instead of a throwaway one")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *url, *out, *check)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "schemaref:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, out string, check bool) (err error) {
	if url == "" {
		cluster, err := postgres.Open(ctx, postgres.Options{})
		if err != nil {
			return err
		}
		defer func() {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			if closeErr := cluster.Close(end); closeErr != nil {
				fmt.Fprintln(os.Stderr, "schemaref: stopping the database:", closeErr)
			}
		}()
		if _, err := postgres.Migrate(ctx, cluster.URL, postgres.MigrateOptions{}); err != nil {
			return err
		}
		url = cluster.URL
	}
	page, err := makePage(ctx, url)
	if err != nil {
		return err
	}
	if check {
		return compare(out, page)
	}
	return os.WriteFile(out, page, 0o644)
}

// makePage reads a database that belongs to this checkout.
func makePage(ctx context.Context, url string) ([]byte, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := postgres.Check(ctx, conn); err != nil {
		return nil, err
	}
	var page []byte
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		db, err := read(ctx, tx, functions.FS)
		if err != nil {
			return fmt.Errorf("reading the schema: %w", err)
		}
		if found := db.problems(); len(found) > 0 {
			return &problemsError{found}
		}
		page = render(db)
		return nil
	})
	return page, err
}

// problemsError lists what keeps the page from being whole.
type problemsError struct{ found []string }

func (e *problemsError) Error() string {
	return "the page cannot be written, mend the migrations or functions:\n  - " + strings.Join(e.found, "\n  - ")
}

// staleError says that the committed page is not what the schema gives.
type staleError struct{ file, diff string }

func (e *staleError) Error() string {
	return fmt.Sprintf("%s is stale. Run `%s` and commit the result.\n%s", e.file, regenerate, e.diff)
}

// compare fails with a *staleError when the file differs or is not there.
func compare(file string, page []byte) error {
	committed, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil && bytes.Equal(committed, page) {
		return nil
	}
	lines := strings.SplitAfter(string(diff.Diff(file+" (committed)", committed, file+" (from the schema)", page)), "\n")
	if len(lines) > maxDiffLines {
		more := len(lines) - maxDiffLines
		lines = append(lines[:maxDiffLines:maxDiffLines], fmt.Sprintf("... and %d lines more\n", more))
	}
	return &staleError{file, strings.Join(lines, "")}
}
