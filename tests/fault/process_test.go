package fault_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"umpire/tests/harness"
)

// process is a child that ends with the test process, however that ends.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// launch starts a child. The parent death signal belongs to the starting thread, so that is kept until the child has ended
// (https://go.dev/issue/27505).
func launch(cmd *exec.Cmd, onDeath syscall.Signal) (*process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Pdeathsig = onDeath
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is the test's doing
			close(p.exited)
		}
	}()
	return p, <-started
}

// signal sends a signal; a process that has ended does not mind.
func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatalf("signal %v: %v", s, err)
	}
}

func (p *process) kill(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	receive(t, p.exited, "the end of the process")
}

// environment is ours without what would reach into the server.
func environment(more ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "UMPIRE_") && !strings.HasPrefix(e, "PG") {
			env = append(env, e)
		}
	}
	return append(env, more...)
}

// umpire is a server process, in front of one database.
type umpire struct {
	database string   // URL
	args     []string // besides the address
	program  string
	address  string // host:port, the same after a restart

	mu   sync.Mutex
	now  *process
	said []string // last lines of its log
	leak []string // lines of it that hold a secret
}

// serve starts a server and returns when it serves.
func serve(t testing.TB, database string, args ...string) *umpire {
	t.Helper()
	u := &umpire{database: database, args: args, program: harness.Binary(t), address: "127.0.0.1:0"}
	t.Cleanup(func() {
		if p := u.process(); p != nil {
			p.kill(t)
		}
		for _, line := range u.leaks() {
			t.Errorf("a secret is in the log of the server %s: %s", u.address, line)
		}
		if t.Failed() {
			t.Logf("the server %s said last:\n%s", u.address, strings.Join(u.lines(), "\n"))
		}
	})
	u.start(t)
	return u
}

func (u *umpire) url() string { return "http://" + u.address }

func (u *umpire) process() *process {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.now
}

func (u *umpire) lines() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.said...)
}

func (u *umpire) leaks() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.leak...)
}

// kill ends the server as a crash would.
func (u *umpire) kill(t testing.TB) { t.Helper(); u.process().kill(t) }

// start starts the server, again if need be: it gives up when the database is not there yet.
func (u *umpire) start(t testing.TB) {
	t.Helper()
	end := time.Now().Add(limit)
	for !u.startOnce(t) {
		if time.Now().After(end) {
			t.Fatalf("the server does not start:\n%s", strings.Join(u.lines(), "\n"))
		}
	}
}

func (u *umpire) startOnce(t testing.TB) bool {
	t.Helper()
	cmd := exec.Command(u.program, append([]string{"serve", "--log-format", "json", "--listen", u.address}, u.args...)...)
	cmd.Env = environment("UMPIRE_DATABASE_URL=" + u.database)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := launch(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	u.mu.Lock()
	u.now = p
	u.mu.Unlock()
	serving := make(chan string, 1)
	go func() {
		defer close(serving)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			var line struct{ Msg, Address string }
			if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Msg == "serving" {
				serving <- line.Address
			}
			leak, _ := harness.Leaks(strings.NewReader(lines.Text())) // reading a string does not fail
			u.mu.Lock()
			u.leak = append(u.leak, leak...)
			u.said = append(u.said[max(0, len(u.said)-40):], lines.Text())
			u.mu.Unlock()
		}
	}()
	select {
	case address, ok := <-serving:
		if !ok {
			return false
		}
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.address = at.Host
		return true
	case <-time.After(limit):
		t.Fatal("the server does not say that it serves")
		return false
	}
}
