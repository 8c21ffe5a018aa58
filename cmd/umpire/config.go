package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// config is everything a serving process can be told, by flag or environment.
type config struct {
	database

	Listen      string        `env:"UMPIRE_LISTEN" default:"127.0.0.1:8080" help:"Address to serve on."`
	TLSCert     string        `env:"UMPIRE_TLS_CERT" type:"existingfile" help:"Certificate chain; serves HTTPS together with --tls-key."`
	TLSKey      string        `env:"UMPIRE_TLS_KEY" type:"existingfile" help:"Private key of --tls-cert."`
	CORSOrigins []string      `name:"cors-origin" env:"UMPIRE_CORS_ORIGINS" help:"Origins whose pages may call the API; none when not given."`
	LogFormat   string        `env:"UMPIRE_LOG_FORMAT" default:"text" enum:"text,json" help:"text or json."`
	LogLevel    string        `env:"UMPIRE_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"debug, info, warn or error."`
	StopTimeout time.Duration `env:"UMPIRE_STOP_TIMEOUT" default:"30s" help:"How long a stopping server waits for the commands under way."`
	StopDelay   time.Duration `env:"UMPIRE_STOP_DELAY" default:"0s" help:"How long readiness fails before new commands are turned away, so that a load balancer notices first."`

	KeepNotes time.Duration `env:"UMPIRE_KEEP_NOTES" default:"720h" help:"How long notes are kept; longer for consumers that have not read them (30 days)."`

	CommandConns int32 `env:"UMPIRE_COMMAND_CONNS" default:"16" help:"Connections for commands of people and scorers."`
	ImportConns  int32 `env:"UMPIRE_IMPORT_CONNS" default:"4" help:"Connections for import batches."`
	ReadConns    int32 `env:"UMPIRE_READ_CONNS" default:"8" help:"Connections for reads."`
	WorkConns    int32 `env:"UMPIRE_WORK_CONNS" default:"4" help:"Connections for background work."`
	PerSubject   int   `env:"UMPIRE_PER_SUBJECT" default:"2" help:"Commands of one subject that wait in Postgres at a time; the rest wait in memory."`
}

// database is what every command that needs a database can be told.
type database struct {
	DatabaseURL string `env:"UMPIRE_DATABASE_URL" help:"The Postgres to use: postgres://user@host/database."`
}

// Validate is called by kong: what is half set stops the start.
func (c *config) Validate() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert (UMPIRE_TLS_CERT) and --tls-key (UMPIRE_TLS_KEY) are given together or not at all")
	case c.StopTimeout <= 0 || c.StopDelay < 0:
		return errors.New("--stop-timeout is more than 0s and --stop-delay is not negative")
	case c.KeepNotes < time.Minute:
		return errors.New("--keep-notes is a minute or more")
	case slices.Contains(c.CORSOrigins, "*"):
		return errors.New("--cors-origin names origins such as https://scores.example; * is not one")
	}
	return nil
}

// checkEnvironment refuses variables of ours that nobody reads (a typing error must not go unnoticed) or that are empty.
func checkEnvironment(model *kong.Application, environ []string) error {
	known := map[string]bool{
		// read by the tests
		"UMPIRE_TEST_DATABASE_URL": true,
		"UMPIRE_TEST_IMAGE":        true,
		"UMPIRE_TEST_COVERAGE":     true,
	}
	var collect func(*kong.Node)
	collect = func(n *kong.Node) {
		for _, f := range n.Flags {
			for _, name := range f.Envs {
				known[name] = true
			}
		}
		for _, child := range n.Children {
			collect(child)
		}
	}
	collect(model.Node)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case !strings.HasPrefix(name, "UMPIRE_"):
		case !known[name]:
			names := make([]string, 0, len(known))
			for k := range known {
				names = append(names, k)
			}
			slices.Sort(names)
			return fmt.Errorf("the environment has %s, which nothing reads; there are %s", name, strings.Join(names, ", "))
		case value == "":
			return fmt.Errorf("%s is set but empty: give it a value or unset it", name)
		}
	}
	return nil
}

var errNoURL = errors.New("say which database: --database-url or UMPIRE_DATABASE_URL")
