package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// Where a Cluster came from.
const (
	OriginURL      = "url"
	OriginBinaries = "binaries"
	OriginDocker   = "docker"
	OriginPackage  = "package"
)

// Cluster is a PostgreSQL server that Open found or started.
type Cluster struct {
	// URL is for the superuser (with Options.URL: whoever that names) and the database of Options.
	URL string

	// Durable says whether what was committed survives: false for a throwaway server.
	Durable bool

	// Origin is one of url, binaries, docker, package.
	Origin string

	// Version is server_version_num, e.g. 150018.
	Version int

	// Dir is the data folder; empty when it is not ours to see.
	Dir string

	// Log is the server's log file; empty when it is not ours to see.
	Log string

	// Socket is the folder of the unix socket, where every role may log in without a password; empty when there is none.
	Socket string

	// Port is the TCP port on 127.0.0.1; 0 with Options.URL.
	Port int

	running runner

	closing  sync.Once
	closeErr error
}

// runner is what differs between the ways of running a server.
type runner interface {
	stop(ctx context.Context) error
	kill() error
	restart(ctx context.Context) error
	alive() bool
}

var errNotOurs = errors.New("this server is not run by us as a process of our own")

// URLFor is URL with another database.
func (c *Cluster) URLFor(database string) string {
	return withDatabase(c.URL, database)
}

// Close stops the server if Open started it, and removes what a throwaway one leaves. It may be called twice.
func (c *Cluster) Close(ctx context.Context) error {
	c.closing.Do(func() {
		if c.running != nil {
			c.closeErr = c.running.stop(ctx)
		}
	})
	return c.closeErr
}

// Kill ends the server as a crash would (SIGKILL). Only for servers started from binaries; meant for fault tests.
func (c *Cluster) Kill() error {
	if c.running == nil {
		return errNotOurs
	}
	return c.running.kill()
}

// Restart stops the server, if it runs, and starts it again with the same port and data. Only for servers started from
// binaries.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.running == nil {
		return errNotOurs
	}
	return c.running.restart(ctx)
}

// Running reports whether a server that Open started has not been killed, stopped or lost. It is always true for a
// server named by URL.
func (c *Cluster) Running() bool {
	return c.running == nil || c.running.alive()
}

// withDatabase replaces the database in a connection string of either form (URL or keywords).
func withDatabase(connString, database string) string {
	if strings.HasPrefix(connString, "postgres://") || strings.HasPrefix(connString, "postgresql://") {
		u, err := url.Parse(connString)
		if err == nil {
			u.Path, u.RawPath = "/"+database, ""
			q := u.Query()
			q.Del("dbname")
			q.Del("database")
			u.RawQuery = q.Encode()
			return u.String()
		}
	}
	// The last of two equal keywords wins.
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(database)
	return fmt.Sprintf("%s dbname='%s'", connString, quoted)
}
