// Command umpire is the whole of Umpire in one binary: the server, migrations, the demo, and what operators run.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set by the linker (make build).
var version = "dev"

type cli struct {
	Dev      devCommand         `cmd:"" help:"Bring up everything on this machine, replay a real match, stay up."`
	Serve    serveCommand       `cmd:"" help:"Serve the HTTP API."`
	Migrate  migrateCommand     `cmd:"" help:"Bring the database to this binary's migrations and functions; shows functions that somebody tuned there."`
	Replay   replayCommand      `cmd:"" help:"Send matches to a running server, as commands: files, or the match that ships with Umpire."`
	Verify   verifyFilesCommand `cmd:"" help:"Compare what a running server shows of replayed matches with what their files expect."`
	OpenAPI  openapiCommand     `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Sender   senderCommand      `cmd:"" help:"Add, rotate, disable and list senders."`
	Consumer consumerCommand    `cmd:"" help:"Durable readers of notes: list, create, read, acknowledge, rewind, drop."`
	Ops      opsCommand         `cmd:"" help:"What operators run: who blocks whom, who holds the readers up, end a session, verify by replay, rebase, prune."`
	Prove    proveCommand       `cmd:"" help:"Prove that nothing is lost and nothing counted twice: random commands from many senders, kills, then ten oracles."`
	Version  versionCommand     `cmd:"" help:"Print the version, the migration and the code hash that this binary carries."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	if err := run(ctx, os.Args[1:], os.Environ(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "umpire: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args, environ []string, out io.Writer) error {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("umpire"),
		kong.Description("A Postgres-centric backend for live sport: every change is a command, every command gets one of five answers. Every flag with an environment variable shows it."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(out, (*io.Writer)(nil)),
	)
	if err != nil {
		return fmt.Errorf("reading the command line's definition: %w", err)
	}
	if err := checkEnvironment(parser.Model, environ); err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return parsed.Run()
}
