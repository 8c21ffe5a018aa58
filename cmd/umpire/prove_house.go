package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"umpire/server/postgres"
)

// comeBack bounds how long what was killed may take to serve again.
const comeBack = 90 * time.Second

// house is what a run brings and may kill: servers, and a Postgres when that is ours.
type house struct {
	cluster  *postgres.Cluster
	servers  []*child
	folder   string // what the servers say; empty without servers
	keep     bool   // the folder
	mayCrash bool   // the Postgres
}

// open starts the servers of a run and waits until they are ready.
func (c *proveCommand) open(ctx context.Context, cluster *postgres.Cluster) (_ *house, err error) {
	h := &house{
		cluster:  cluster,
		mayCrash: cluster.Origin == postgres.OriginBinaries || cluster.Origin == postgres.OriginPackage,
	}
	if len(c.URLs) > 0 {
		return h, nil
	}
	binary := c.binary
	if binary == "" {
		if binary, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("finding our own program: %w", err)
		}
	}
	if h.folder, err = os.MkdirTemp("", "umpire-prove-"); err != nil {
		return nil, fmt.Errorf("a folder for what the servers say: %w", err)
	}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	for i := range c.Servers {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		s := &child{binary: binary, address: address, databaseURL: cluster.URL, log: filepath.Join(h.folder, fmt.Sprintf("server-%d.log", i))}
		h.servers = append(h.servers, s)
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// urls are the servers to send to: others', or ours.
func (h *house) urls(others []string) []string {
	for _, s := range h.servers {
		others = append(others, "http://"+s.address)
	}
	return others
}

// faults are servers that ended and were not killed.
func (h *house) faults() []string {
	var all []string
	for i, s := range h.servers {
		s.mu.Lock()
		for _, text := range s.ended {
			all = append(all, fmt.Sprintf("server %d ended by itself: %s", i, text))
		}
		s.mu.Unlock()
	}
	return all
}

func (h *house) close() {
	for _, s := range h.servers {
		s.kill()
	}
	if h.folder != "" && !h.keep {
		_ = os.RemoveAll(h.folder)
	}
}

// killCounts are the kills of a run, by what was killed.
type killCounts struct {
	postgres, servers int
	allowed           bool
	err               error
}

func (k killCounts) String() string {
	if !k.allowed {
		return "none: nothing here is ours"
	}
	return fmt.Sprintf("%d of Postgres, %d of servers", k.postgres, k.servers)
}

// killAtRandom kills one thing after the other, each at a moment of its own, and brings it back. Seed and duration decide
// what and when. The channel gets the counts once the last one is back.
func (h *house) killAtRandom(ctx context.Context, seed uint64, duration time.Duration, kills int) <-chan killCounts {
	result := make(chan killCounts, 1)
	targets := make([]int, len(h.servers)) // numbers of servers; -1 is the Postgres
	for i := range targets {
		targets[i] = i
	}
	if h.mayCrash {
		targets = append(targets, -1)
	}
	if kills < 0 {
		kills = max(len(targets), int(duration/(5*time.Second)))
	}
	if len(targets) == 0 || kills == 0 {
		result <- killCounts{allowed: len(targets) > 0}
		return result
	}
	rng := rand.New(rand.NewPCG(seed, 1<<63))
	moments := make([]time.Duration, kills)
	for i := range moments {
		moments[i] = duration/20 + time.Duration(rng.Int64N(int64(duration)*8/10))
	}
	slices.Sort(moments)
	began := time.Now()
	go func() {
		counts := killCounts{allowed: true}
		defer func() { result <- counts }()
		for i, at := range moments {
			if i%len(targets) == 0 {
				rng.Shuffle(len(targets), func(a, b int) { targets[a], targets[b] = targets[b], targets[a] })
			}
			select {
			case <-time.After(time.Until(began.Add(at))):
			case <-ctx.Done():
				return
			}
			// What is dead comes back, also when the sending is over.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), comeBack)
			var err error
			if n := targets[i%len(targets)]; n < 0 {
				counts.postgres++
				err = h.crash(bounded)
			} else {
				counts.servers++
				h.servers[n].kill()
				err = h.servers[n].start(bounded)
			}
			cancel()
			if err != nil {
				counts.err = err
				return
			}
		}
	}()
	return result
}

// crash kills the Postgres as a crash would, and starts it again.
func (h *house) crash(ctx context.Context) error {
	if err := h.cluster.Kill(); err != nil {
		return fmt.Errorf("killing Postgres: %w", err)
	}
	if err := h.cluster.Restart(ctx); err != nil {
		return fmt.Errorf("starting Postgres again: %w", err)
	}
	return nil
}

// child is an `umpire serve` of ours.
type child struct {
	binary, address, databaseURL, log string

	mu      sync.Mutex
	process *os.Process
	exited  chan struct{}
	killed  bool
	serving bool
	ended   []string // how it ended when nobody killed it
}

// start starts the server and waits until it is ready. One that cannot start, because the Postgres is away, is started
// again.
func (s *child) start(ctx context.Context) error {
	for {
		if err := s.spawn(); err != nil {
			return err
		}
		ready, err := s.waitReady(ctx)
		if err != nil {
			return fmt.Errorf("the server on %s does not get ready (%s): %w", s.address, s.log, err)
		}
		if ready {
			return nil
		}
	}
}

func (s *child) spawn() error {
	file, err := os.OpenFile(s.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(s.binary, "serve", "--listen", s.address, "--log-level", "warn")
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "UMPIRE_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Env = append(cmd.Env, "UMPIRE_DATABASE_URL="+s.databaseURL)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = endsWithUs()
	exited := make(chan struct{})
	started := make(chan error, 1)
	go func() {
		// The kernel tells a child of the end of the thread that started it: this one lives as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			s.mu.Lock()
			s.process, s.exited, s.killed, s.serving = cmd.Process, exited, false, false
			s.mu.Unlock()
		}
		started <- err
		if err == nil {
			state := cmd.Wait()
			s.mu.Lock()
			if s.serving && !s.killed {
				s.ended = append(s.ended, fmt.Sprint(state))
			}
			s.mu.Unlock()
			close(exited)
		}
		_ = file.Close()
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting a server: %w", err)
	}
	return nil
}

// waitReady waits until the server is ready; false when it ended before.
func (s *child) waitReady(ctx context.Context) (bool, error) {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/ready", nil)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				s.mu.Lock()
				s.serving = true
				s.mu.Unlock()
				return true, nil
			}
		}
		select {
		case <-s.exited:
			select {
			case <-ctx.Done():
				return false, ctx.Err()
			case <-time.After(100 * time.Millisecond):
				return false, nil
			}
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// kill ends the server as a crash would, and waits until it has ended.
func (s *child) kill() {
	s.mu.Lock()
	process, exited := s.process, s.exited
	s.killed = true
	s.mu.Unlock()
	if process == nil {
		return
	}
	if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintf(os.Stderr, "umpire: killing a server: %v\n", err)
	}
	<-exited
}
