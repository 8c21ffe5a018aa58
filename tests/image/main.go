// Command image runs test suites on other versions of PostgreSQL than the one that is installed. Where a Docker engine
// answers it makes images of PostgreSQL 17 and 18 with pgTAP and plpgsql_check, once, starts a container of each and runs
// go test against it. Without an engine it says so and has nothing to do.
//
//	go run ./tests/image                          # 17 and 18, the usual suites
//	go run ./tests/image -versions 18 ./tests/sql
//	go run ./tests/image -build                   # the images only
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// usualSuites are those whose result may depend on the version of Postgres.
var usualSuites = []string{"./tests/sql", "./tests/race", "./tests/catalogue", "./tests/harness"}

// containerTests need an image and are skipped elsewhere: what starts containers, and the demo in one.
var containerTests = []string{"-run", "^(TestContainer|TestDemoInAContainer)$", "./server/postgres", "./cmd/umpire"}

// engineTimeout bounds the question whether an engine is there.
const engineTimeout = 5 * time.Second

func main() {
	wanted := flag.String("versions", "17,18", "major versions, with commas between them")
	only := flag.Bool("build", false, "make the images and stop")
	flag.Parse()
	suites := flag.Args()
	if len(suites) == 0 {
		suites = usualSuites
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, strings.Split(*wanted, ","), suites, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, versions, suites []string, only bool) error {
	for _, v := range versions {
		if _, known := debianSuites[v]; !known {
			return fmt.Errorf("no recipe for PostgreSQL %q", v)
		}
	}
	client, err := engine(ctx)
	if err != nil {
		say("skipped PostgreSQL %s: no Docker engine answers (%v)", strings.Join(versions, " and "), err)
		return nil
	}
	var failed []error
	var summary []string
	for _, v := range versions {
		image, err := ensure(ctx, client, v)
		if err != nil {
			return fmt.Errorf("an engine answers, but an image of PostgreSQL %s cannot be made: %w", v, err)
		}
		if only {
			continue
		}
		started := time.Now()
		n, err := testOn(ctx, v, image, suites)
		line := fmt.Sprintf("PostgreSQL %s: %d passed, %d failed, %d skipped in %s", v, n.passed, n.failed, n.skipped, time.Since(started).Round(time.Second))
		if err != nil {
			failed = append(failed, fmt.Errorf("PostgreSQL %s: %w", v, err))
		}
		summary = append(summary, line)
		if ctx.Err() != nil {
			break
		}
	}
	for _, line := range summary {
		say("%s", line)
	}
	return errors.Join(failed...)
}

func engine(ctx context.Context) (*docker.Client, error) {
	pool, err := dockertest.NewPool("")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	return pool.Client, pool.Client.PingWithContext(ctx)
}

// testOn starts a container and runs the suites on it, then asks whether the schema reference comes out the same.
func testOn(ctx context.Context, version, image string, suites []string) (n counts, err error) {
	cluster, err := postgres.Open(ctx, postgres.Options{
		Image: image, Settings: harness.Settings(), Log: func(line string) { say("%s", line) },
	})
	if err != nil {
		return n, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, cluster.Close(end))
	}()
	if got := fmt.Sprint(cluster.Version / 10000); got != version {
		return n, fmt.Errorf("the image holds version %s", got)
	}
	say("go test %s on PostgreSQL %s", strings.Join(suites, " "), version)
	env := append(os.Environ(), harness.URLVariable+"="+cluster.URL, harness.ImageVariable+"="+image)
	n, err = goTest(ctx, os.Stdout, env, suites)
	more, containers := goTest(ctx, os.Stdout, env, containerTests)
	n.add(more)
	if err = errors.Join(err, containers); err != nil {
		return n, err
	}
	say("the schema reference on PostgreSQL %s", version)
	if _, err := postgres.Migrate(ctx, cluster.URL, postgres.MigrateOptions{}); err != nil {
		return n, err
	}
	return n, program(ctx, os.Stdout, "go", "run", "./docs/schemaref", "-check", "-o", "docs/schema.md", "-url", cluster.URL)
}

func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "image: "+format+"\n", args...)
}
