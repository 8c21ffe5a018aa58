package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// counts are of tests, those below other tests included.
type counts struct{ passed, failed, skipped int }

func (n *counts) add(more counts) {
	n.passed, n.failed, n.skipped = n.passed+more.passed, n.failed+more.failed, n.skipped+more.skipped
}

// goTest runs packages one after the other, because they share a server: a transaction of one would hold back the readers
// of another, whatever their databases. It shows each package's result, and what failed or skipped said.
func goTest(ctx context.Context, out io.Writer, env, suites []string) (counts, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-count=1", "-p", "1", "-timeout", "20m"}, suites...)...)
	cmd.Env, cmd.Stderr = env, out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	events, err := cmd.StdoutPipe()
	if err != nil {
		return counts{}, err
	}
	if err := cmd.Start(); err != nil {
		return counts{}, err
	}
	n, read := show(out, events)
	if err := cmd.Wait(); err != nil {
		return n, fmt.Errorf("go test: %w", err)
	}
	return n, read
}

// event is one line of go test -json.
type event struct{ Action, Package, Test, Output string }

// show reads the events of go test -json.
func show(out io.Writer, events io.Reader) (n counts, err error) {
	said := map[[2]string]*strings.Builder{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			// what the go command itself has to say
			_, _ = fmt.Fprintln(out, lines.Text())
			continue
		}
		id := [2]string{e.Package, e.Test}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			_, _ = io.WriteString(out, e.Output)
		case e.Action == "output":
			if said[id] == nil {
				said[id] = &strings.Builder{}
			}
			said[id].WriteString(e.Output)
		case e.Test == "":
		case e.Action == "pass":
			n.passed++
			delete(said, id)
		case e.Action == "fail", e.Action == "skip":
			if e.Action == "fail" {
				n.failed++
			} else {
				n.skipped++
			}
			if said[id] != nil {
				_, _ = io.WriteString(out, said[id].String())
				delete(said, id)
			}
		}
	}
	// A test that neither passed nor failed was running when its process died.
	for id, text := range said {
		if id[1] != "" {
			n.failed++
			_, _ = io.WriteString(out, text.String())
		}
	}
	return n, lines.Err()
}
