package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Of -scale 1. Each fixture has 20 plays, 50 log rows and 100 commands (sql/bench/big.sql).
const bigFixtures = 100_000

// big measures the same commands in two databases of one server: one as small as setup.sql makes it, and one with years of
// matches in it. Notes go to all fixtures of the large one, so that its pages are not all at hand.
func (b *bed) big(ctx context.Context) error {
	fixtures := int(b.scale * bigFixtures)
	admin, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	if _, err := admin.Exec(ctx, "create database bench_big template template0"); err != nil {
		return fmt.Errorf("creating the large database: %w", err)
	}
	large := *b
	large.last = lastFixture + fixtures
	url := b.cluster.URLFor("bench_big")
	if err := large.prepare(ctx, url); err != nil {
		return err
	}
	say(fmt.Sprintf("filling the large database: %d fixtures, %d commands", fixtures, 100*fixtures))
	begun := time.Now()
	if err := large.script(ctx, url, "big.sql", map[string]string{"fixtures": strconv.Itoa(fixtures)}); err != nil {
		return err
	}

	b.heading()
	fmt.Printf("Scale %g: %d fixtures, %d plays, %d log rows, %d commands, filled in %s.\n\n", b.scale, fixtures, 20*fixtures, 50*fixtures, 100*fixtures,
		time.Since(begun).Round(time.Second))
	if err := sizes(ctx, url); err != nil {
		return err
	}
	fmt.Println("\n| what | large | small | ratio | bar | |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, n := range []int{1, 16} {
		for _, script := range []string{"note.sql", "goal.sql", "note_floor.sql"} {
			c := comparison{what: fmt.Sprintf("%s, large / small, %d clients", script, n),
				ours: large.byPgbench(asOwner(url), script, n), other: b.byPgbench(asOwner(b.cluster.URL), script, n)}
			if !b.only.MatchString(c.what) {
				continue
			}
			if err := b.measure(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", c.what, err)
			}
		}
	}
	if b.heldFor > 0 && b.only.MatchString("held snapshot") {
		return b.heldSnapshot(ctx)
	}
	return nil
}

// sizes prints every table of more than a megabyte with its indexes.
func sizes(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := conn.Query(ctx, `
		select c.oid::regclass::text, c.reltuples::bigint, pg_size_pretty(pg_table_size(c.oid)), pg_size_pretty(pg_indexes_size(c.oid))
		from pg_class c
		where c.relnamespace::regnamespace::text in ('road', 'sport') and c.relkind = 'r' and pg_total_relation_size(c.oid) > 1000000
		order by pg_total_relation_size(c.oid) desc`)
	if err != nil {
		return fmt.Errorf("asking for sizes: %w", err)
	}
	fmt.Println("| table | rows | table | indexes |")
	fmt.Println("|---|---|---|---|")
	var name, table, indexes string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n, &table, &indexes}, func() error {
		fmt.Printf("| %s | %d | %s | %s |\n", name, n, table, indexes)
		return nil
	})
	return err
}
