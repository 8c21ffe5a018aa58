package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is one running postmaster.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed after Wait
	state  error         // what Wait said; read only after exited
}

// startProcess starts a postmaster that ends with us.
//
// The parent death signal belongs to the thread that started the child: were that thread one of Go's ordinary ones, the
// server would be killed whenever the runtime let the thread go (https://go.dev/issue/27505). So one goroutine locks
// its thread, starts the server on it and keeps it until the server has ended.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.state = cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// stop asks for a fast shutdown, then for an immediate one, then kills.
func (p *process) stop(ctx context.Context) error {
	for _, step := range []struct {
		signal syscall.Signal
		within time.Duration
	}{
		{syscall.SIGINT, 30 * time.Second},
		{syscall.SIGQUIT, 10 * time.Second},
		{syscall.SIGKILL, 10 * time.Second},
	} {
		if !p.alive() {
			return nil
		}
		if err := p.cmd.Process.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stopping the server: %w", err)
		}
		timer := time.NewTimer(step.within)
		select {
		case <-p.exited:
		case <-timer.C:
		case <-ctx.Done():
			// Out of time: the next step is due now, but the last one must be waited for.
			if step.signal != syscall.SIGINT {
				select {
				case <-p.exited:
				case <-timer.C:
				}
			}
		}
		timer.Stop()
	}
	if p.alive() {
		return fmt.Errorf("the server (process %d) does not end", p.cmd.Process.Pid)
	}
	return nil
}

// server is a postmaster with what is needed to start it again.
type server struct {
	install installation
	runAs   *syscall.Credential
	run     string // temp folder: socket, hba file; for a throwaway server everything
	data    string
	log     string
	kept    bool
	port    int
	args    []string

	keeper *keeper

	mu      sync.Mutex // guards process
	process *process
}

func (s *server) current() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

func (s *server) alive() bool {
	p := s.current()
	return p != nil && p.alive()
}

func (s *server) stop(ctx context.Context) error {
	var stopped error
	if p := s.current(); p != nil {
		stopped = p.stop(ctx)
	}
	removed := os.RemoveAll(s.run)
	return errors.Join(stopped, removed, s.keeper.dismiss())
}

func (s *server) kill() error {
	p := s.current()
	if p == nil {
		return errors.New("the server does not run")
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.exited
	return nil
}

func (s *server) restart(ctx context.Context) error {
	if p := s.current(); p != nil {
		if err := p.stop(ctx); err != nil {
			return err
		}
	}
	return s.start(ctx)
}

// failedStart is a server that ended before it took connections.
type failedStart struct {
	state error
	log   string // what it said
	path  string
}

func (e *failedStart) Error() string {
	return fmt.Sprintf("PostgreSQL did not come up (%v). Last lines of %s:\n%s", e.state, e.path, lastLines(e.log, 20))
}

func (e *failedStart) portTaken() bool {
	return strings.Contains(e.log, "could not create any TCP/IP sockets")
}

// stillDying: after a kill the orphaned backends need a moment until they notice.
func (e *failedStart) stillDying() bool {
	return strings.Contains(e.log, "pre-existing shared memory block") ||
		strings.Contains(e.log, `lock file "postmaster.pid" already exists`)
}

// start starts the postmaster on s.port and waits until it takes connections.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := s.startOnce(ctx)
		var failed *failedStart
		if errors.As(err, &failed) && failed.stillDying() && pause(ctx, 50*time.Millisecond) == nil {
			continue
		}
		return err
	}
}

func (s *server) startOnce(ctx context.Context) error {
	logFile, err := os.OpenFile(s.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	if err := giveTo(s.log, s.runAs); err != nil {
		return err
	}
	before, err := logFile.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}

	cmd := exec.Command(s.install.program("postgres"), append([]string{"-D", s.data, "-p", fmt.Sprint(s.port)}, s.args...)...)
	cmd.Dir = s.data
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = logFile, logFile
	onDeath := syscall.SIGQUIT // throwaway: at once
	if s.kept {
		onDeath = syscall.SIGINT // kept: cleanly
	}
	cmd.SysProcAttr = detached(s.runAs, onDeath)
	p, err := startProcess(cmd)
	if err != nil {
		return fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()

	for {
		if ready(ctx, s.adminURL(maintenance)) {
			return nil
		}
		select {
		case <-p.exited:
			return &failedStart{state: p.state, log: s.logSince(before), path: s.log}
		default:
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			stopped := p.stop(ctx)
			return errors.Join(fmt.Errorf("%w, and PostgreSQL is still not ready. Last lines of %s:\n%s",
				err, s.log, lastLines(s.logSince(before), 20)), stopped)
		}
	}
}

func (s *server) logSince(offset int64) string {
	f, err := os.Open(s.log)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// serverEnv is our environment without what would reach into the server.
func serverEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PG") && !strings.HasPrefix(e, "LC_") && !strings.HasPrefix(e, "LANG") {
			env = append(env, e)
		}
	}
	return append(env, "LC_ALL=C") // messages in English: startup failures are told apart by their text
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
