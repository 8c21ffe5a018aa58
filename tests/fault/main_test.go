// Package fault_test proves the road under faults (C-132, C-133): real `umpire serve` processes in front of a real
// Postgres, with a network between them that can be cut. Processes are killed, sessions ended, answers lost, disks filled;
// afterwards the same command is sent again under the same key, and must have been applied exactly once.
//
// A command is stopped at a named point of its way by an advisory lock (bed_test.go), never by sleeping.
package fault_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"umpire/tests/harness"
)

// limit bounds everything that is waited for. Reaching it is a failure, never a measurement.
const limit = 45 * time.Second

// How large the storm is; make prove-faults asks for more.
var (
	stormCommands = flag.Int("storm.commands", 500, "commands that TestStorm sends")
	stormKills    = flag.Int("storm.kills", 2, "times that TestStorm kills Postgres, and each server")
)

// program is the binary that the tests run, built at its first use.
var program struct {
	once sync.Once
	dir  string
	path string
	err  error
}

func TestMain(m *testing.M) {
	harness.Main(m)
	if program.dir != "" {
		_ = os.RemoveAll(program.dir)
	}
}

func build(t testing.TB) string {
	t.Helper()
	program.once.Do(func() {
		if program.dir, program.err = os.MkdirTemp("", "umpire-fault-"); program.err != nil {
			return
		}
		program.path = filepath.Join(program.dir, "umpire")
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", program.path, "umpire/cmd/umpire").CombinedOutput(); err != nil {
			program.err = errors.Join(err, errors.New(string(out)))
		}
	})
	if program.err != nil {
		t.Fatalf("building the server: %v", program.err)
	}
	return program.path
}
