package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperVariable turns the test binary into a process that owns a server and can be killed.
const helperVariable = "UMPIRE_POSTGRES_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		helper()
		return
	}
	m.Run()
	if one.cluster != nil {
		if err := one.cluster.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

type helperSays struct {
	URL     string
	Dir     string
	Run     string
	Process int
	Keeper  int
}

// helper opens a server, says where, and waits for the end of its standard input.
func helper() {
	signal.Ignore(syscall.SIGINT)
	o := Options{DataDir: os.Getenv("UMPIRE_POSTGRES_TEST_DATA")}
	if os.Getenv(helperVariable) == OriginDocker {
		c, err := openDocker(context.Background(), Options{Image: os.Getenv(imageVariable)})
		if err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(helperSays{URL: c.URL})
	} else {
		c, err := Open(context.Background(), o)
		if err != nil {
			panic(err)
		}
		s := c.running.(*server)
		_ = json.NewEncoder(os.Stdout).Encode(helperSays{
			URL: c.URL, Dir: c.Dir, Run: s.run, Process: s.process.cmd.Process.Pid, Keeper: s.keeper.cmd.Process.Pid,
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// one server is shared by those tests that only need databases in it.
var one struct {
	once    sync.Once
	cluster *Cluster
	err     error
	n       int
	mu      sync.Mutex
}

func sharedCluster(t *testing.T) *Cluster {
	t.Helper()
	one.once.Do(func() { one.cluster, one.err = Open(context.Background(), Options{}) })
	if one.err != nil {
		t.Fatal(one.err)
	}
	return one.cluster
}

// database makes an empty database and returns its URL.
func database(t *testing.T, more string) string {
	t.Helper()
	c := sharedCluster(t)
	one.mu.Lock()
	one.n++
	name := fmt.Sprintf("t%d", one.n)
	one.mu.Unlock()
	must(t, connect(t, c.URL), "create database "+name+" "+more)
	return c.URLFor(name)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeConn(context.Background(), conn) })
	return conn
}

func must(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func query[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// eventually polls a state; its deadline only ends a test that has failed.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !holds() {
		if pause(ctx, 10*time.Millisecond) != nil {
			t.Fatalf("never: %s", what)
		}
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func missing(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}
