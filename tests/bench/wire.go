package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// wire stands between a server and Postgres and counts trips: those of the feed's poller, which no command waits for, apart.
type wire struct {
	listener    net.Listener
	backend     string
	trips, feed atomic.Int64
}

// listen returns the wire, and the database URL that leads through it.
func listen(ctx context.Context, databaseURL string) (*wire, string, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, "", fmt.Errorf("database URL: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", fmt.Errorf("listening: %w", err)
	}
	w := &wire{listener: listener, backend: net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))}
	go w.accept(ctx)
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return w, u.String(), nil
}

func (w *wire) close() { _ = w.listener.Close() }

func (w *wire) accept(ctx context.Context) {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		backend, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.backend)
		if err != nil {
			_ = client.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(client, backend)
			_ = client.Close()
		}()
		go func() {
			_ = w.forward(client, backend)
			_ = backend.Close()
		}()
	}
}

// forward passes messages on as they are: a start-up message without a type, then messages of type, length, content.
func (w *wire) forward(client io.Reader, backend io.Writer) error {
	from, trips := bufio.NewReader(client), &w.trips
	for first := true; ; first = false {
		header := make([]byte, 5)
		if first {
			header = header[:4]
		}
		if _, err := io.ReadFull(from, header); err != nil {
			return err
		}
		rest := make([]byte, binary.BigEndian.Uint32(header[len(header)-4:])-4)
		if _, err := io.ReadFull(from, rest); err != nil {
			return err
		}
		switch {
		case first && bytes.Contains(rest, []byte("umpire:feed\x00")): // its application_name
			trips = &w.feed
		case !first && (header[0] == 'S' || header[0] == 'Q'):
			trips.Add(1)
		}
		if _, err := backend.Write(append(header, rest...)); err != nil {
			return err
		}
	}
}
