// Command coverage runs the tests and says how much of the code they execute, in one table: PL/pgSQL per function, by
// plpgsql_check's profiler, and Go per package. It fails when the functions of functions/road are below their bar. Go has
// no bar. Functions in SQL have no statements to count and are left out; tests/sql asks that each has tests.
//
//	go run ./tests/coverage                            # everything
//	go run ./tests/coverage ./tests/sql ./tests/race   # what these packages execute
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// roadBar is the share of the statements of functions/road that must be executed.
const roadBar = 0.90

// goCode is what Go's coverage is measured of.
const goCode = "./client/...,./cmd/...,./server/..."

func main() {
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, packages)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, packages []string) (err error) {
	folder, err := os.MkdirTemp("", "umpire-coverage-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(folder); err == nil {
			err = removed
		}
	}()
	goProfile := filepath.Join(folder, "go.out")
	if err := test(ctx, folder, goProfile, packages); err != nil {
		return err
	}
	installed, err := install(ctx)
	if err != nil {
		return err
	}
	functions, err := plpgsql(installed, folder)
	if err != nil {
		return err
	}
	goRows, err := goPackages(goProfile)
	if err != nil {
		return err
	}
	return report(os.Stdout, functions, goRows)
}

// test runs the packages with both kinds of profile.
func test(ctx context.Context, folder, goProfile string, packages []string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-timeout", "30m", "-coverpkg", goCode, "-coverprofile", goProfile}, packages...)...)
	for _, e := range os.Environ() {
		// The profiler's settings are those of servers that the tests start.
		if !strings.HasPrefix(e, harness.URLVariable+"=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, harness.CoverageVariable+"="+folder)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the tests: %w", err)
	}
	return nil
}

// install reads what there is to execute from a fresh database: every function with all its statements, never executed.
func install(ctx context.Context) (profiles []harness.Profile, err error) {
	cluster, err := postgres.Open(ctx, postgres.Options{Image: os.Getenv(harness.ImageVariable), Settings: harness.ProfilerSettings()})
	if err != nil {
		return nil, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if closed := cluster.Close(end); err == nil {
			err = closed
		}
	}()
	if _, err := postgres.Migrate(ctx, cluster.URL, postgres.MigrateOptions{}); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, cluster.URL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "create extension if not exists plpgsql_check"); err != nil {
		return nil, fmt.Errorf("the profiler: %w", err)
	}
	return harness.Profiles(ctx, conn)
}
