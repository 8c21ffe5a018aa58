package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"
)

// find looks for a client program of Postgres beside the server's, then in PATH.
func find(name string, major int) (string, error) {
	beside := fmt.Sprintf("/usr/lib/postgresql/%d/bin/%s", major, name)
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed (Debian: package postgresql-%d): %w", name, major, err)
	}
	return path, nil
}

var (
	tpsLine     = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	latencyLine = regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`)
	doneLine    = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
)

// byPgbench is a script of sql/bench at so many clients.
func (b *bed) byPgbench(url, script string, clients int) side {
	return func(ctx context.Context, d time.Duration) (measurement, error) {
		command := exec.CommandContext(ctx, b.pgbench, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, runtime.NumCPU())),
			"-D", "last="+strconv.Itoa(b.last), "-T", strconv.Itoa(int(d.Seconds())), "-f", filepath.Join(b.scripts, script), url)
		var out, errs bytes.Buffer
		command.Stdout, command.Stderr = &out, &errs
		if err := command.Run(); err != nil {
			return measurement{}, fmt.Errorf("pgbench %s: %w\n%s", script, err, errs.String())
		}
		tps, latency, done := tpsLine.FindSubmatch(out.Bytes()), latencyLine.FindSubmatch(out.Bytes()), doneLine.FindSubmatch(out.Bytes())
		if tps == nil || latency == nil || done == nil {
			return measurement{}, errors.New("pgbench printed no figures:\n" + out.String())
		}
		var m measurement
		var failed [3]error
		m.perSecond, failed[0] = strconv.ParseFloat(string(tps[1]), 64)
		m.averageMS, failed[1] = strconv.ParseFloat(string(latency[1]), 64)
		m.done, failed[2] = strconv.Atoi(string(done[1]))
		return m, errors.Join(failed[:]...)
	}
}
