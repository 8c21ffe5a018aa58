package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the binary that tests run as a server: built at its first use, for all tests of the process.
type program struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Binary is umpire, built at its first use.
func Binary(t testing.TB) string {
	t.Helper()
	p := &shared.Load().program
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp("", "umpire-test-"); p.err != nil {
			return
		}
		p.path = filepath.Join(p.dir, "umpire")
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", p.path, "umpire/cmd/umpire").CombinedOutput(); err != nil {
			p.err = errors.Join(err, errors.New(string(out)))
		}
	})
	if p.err != nil {
		t.Fatalf("building the server: %v", p.err)
	}
	return p.path
}

func (p *program) remove() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// Serve runs `umpire serve` in front of a database and gives its URL once it serves. The process ends with the test, or with
// the test process, however that ends.
func Serve(t testing.TB, database string, args ...string) string {
	t.Helper()
	url, _ := serve(t, database, io.Discard, args)
	return url
}

// ServeLogged is Serve for tests that read what the server logs: JSON, one line each.
func ServeLogged(t testing.TB, database string, log io.Writer, args ...string) string {
	t.Helper()
	url, _ := serve(t, database, log, args)
	return url
}

// ServeToKill is Serve with a function that ends the process as a crash would.
func ServeToKill(t testing.TB, database string, args ...string) (address string, kill func()) {
	t.Helper()
	return serve(t, database, io.Discard, args)
}

func serve(t testing.TB, database string, log io.Writer, args []string) (address string, kill func()) {
	t.Helper()
	cmd := exec.Command(Binary(t), append([]string{"serve", "--log-format", "json", "--listen", "127.0.0.1:0"}, args...)...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "UMPIRE_") && !strings.HasPrefix(e, "PG") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "UMPIRE_DATABASE_URL="+database)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The parent death signal belongs to the starting thread, so that is kept until the child has ended
	// (https://go.dev/issue/27505). Wait comes after the pipe was read to its end, or it would close it too early.
	started, read, exited := make(chan error, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(exited)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-read
			_ = cmd.Wait() // it is killed
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("starting the server: %v", err)
	}
	serving := make(chan string, 1)
	var said []string
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			var line struct{ Msg, Address string }
			if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Msg == "serving" {
				serving <- line.Address
			}
			said = append(said[max(0, len(said)-20):], lines.Text())
			_, _ = fmt.Fprintln(log, lines.Text())
		}
	}()
	kill = func() {
		_ = cmd.Process.Kill() // a second time does no harm
		<-exited
	}
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			t.Logf("the server said last:\n%s", strings.Join(said, "\n"))
		}
	})
	select {
	case url := <-serving:
		return url, kill
	case <-read:
		t.Fatal("the server ended")
	case <-time.After(2 * time.Minute):
		t.Fatal("the server does not say that it serves")
	}
	return "", nil
}
