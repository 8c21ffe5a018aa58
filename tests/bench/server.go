package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/road"
)

// server is a real `umpire serve` as a child process.
type server struct {
	address string
	token   string
	child   *exec.Cmd
	ended   chan error

	log  *os.File // what the child writes: read when its figures are asked for, not on the cores that it is measured on
	read int64    // how far times has read
}

// serve starts the child on a free port and waits until it is ready. Its pools and admission are the defaults.
func (b *bed) serve(ctx context.Context, databaseURL string) (*server, error) {
	conn, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	s := &server{ended: make(chan error, 1)}
	token, hash := road.NewToken()
	if err := road.AddSender(ctx, conn, road.NewSender{Name: "bench-" + strings.ToLower(rand.Text()), TokenSHA256: hash}); err != nil {
		return nil, err
	}
	s.token = token

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("finding a port: %w", err)
	}
	s.address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, fmt.Errorf("finding a port: %w", err)
	}
	s.child = exec.Command(b.binary, "serve", "--listen", s.address, "--database-url", databaseURL, "--log-format", "json")
	if s.log, err = os.CreateTemp("", "umpire-bench-*.log"); err != nil {
		return nil, fmt.Errorf("making the server's log: %w", err)
	}
	if err := os.Remove(s.log.Name()); err != nil {
		return nil, fmt.Errorf("making the server's log: %w", err)
	}
	s.child.Stderr = s.log
	if err := s.child.Start(); err != nil {
		return nil, fmt.Errorf("starting the server (make build): %w", err)
	}
	go func() { s.ended <- s.child.Wait() }()
	wait, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for !s.ready(wait) {
		select {
		case err := <-s.ended:
			said, _ := io.ReadAll(io.NewSectionReader(s.log, 0, 1<<20))
			return nil, fmt.Errorf("the server ended: %w\n%s", err, said)
		case <-wait.Done():
			return nil, errors.Join(errors.New("the server was not ready in time"), s.stop())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return s, nil
}

func (s *server) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/ready", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (s *server) stop() error {
	if err := s.child.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping the server: %w", err)
	}
	return errors.Join(<-s.ended, s.log.Close())
}

// times returns the server's time in ms for each command that it has logged since the last call.
func (s *server) times() ([]float64, error) {
	var all []float64
	lines := bufio.NewReader(io.NewSectionReader(s.log, s.read, 1<<40))
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the server's log: %w", err)
		}
		s.read += int64(len(line))
		var l struct {
			Msg, Method string
			MS          float64
		}
		if json.Unmarshal(line, &l) == nil && l.Msg == "request" && l.Method == http.MethodPost {
			all = append(all, l.MS)
		}
	}
}

// sender is one keep-alive connection. It writes its requests by hand: the client is to cost as little as can be, since it
// shares the cores with what it measures.
type sender struct {
	conn   net.Conn
	reader *bufio.Reader
	s      *server
	buffer bytes.Buffer
}

func (s *server) dial(ctx context.Context) (*sender, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server: %w", err)
	}
	return &sender{conn: conn, reader: bufio.NewReader(conn), s: s}, nil
}

// note sends a plain command; any answer but accepted is an error.
func (c *sender) note(ref string) error { return c.say(ref, line) }

// say is note with an input of one's own.
func (c *sender) say(ref, input string) error {
	body := `{"key": "` + rand.Text() + `", "code": "note", "input": ` + input + `}`
	c.buffer.Reset()
	fmt.Fprintf(&c.buffer, "POST /workflows/fixture/subjects/fixture/%s/commands HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		ref, c.s.address, c.s.token, len(body), body)
	if _, err := c.conn.Write(c.buffer.Bytes()); err != nil {
		return fmt.Errorf("sending: %w", err)
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	answer, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, answer)
	}
	return nil
}

// byHTTP is n senders, each on a connection of its own.
func (s *server) byHTTP(n int, ref func() string) side {
	return func(ctx context.Context, d time.Duration) (measurement, error) {
		all := make([]one, n)
		for i := range all {
			c, err := s.dial(ctx)
			if err != nil {
				return measurement{}, err
			}
			defer func() { _ = c.conn.Close() }()
			all[i] = func(context.Context) error { return c.note(ref()) }
		}
		return clients(ctx, d, all)
	}
}
