// Package fault_test proves the road under faults (C-132, C-133): real `umpire serve` processes in front of a real
// Postgres, with a network between them that can be cut. Processes are killed, sessions ended, answers lost, disks filled;
// afterwards the same command is sent again under the same key, and must have been applied exactly once.
//
// A command is stopped at a named point of its way by an advisory lock (bed_test.go), never by sleeping.
package fault_test

import (
	"flag"
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

func TestMain(m *testing.M) { harness.Main(m) }
