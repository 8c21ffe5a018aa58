package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// createclusterDir holds the settings of Debian's postgresql-common for new clusters: its createcluster.conf, which the
// package makes at its installation, reads every *.conf here. The package need not be there yet.
const createclusterDir = "/etc/postgresql-common/createcluster.d"

// openPackage installs Debian's package and goes on with its binaries.
func openPackage(ctx context.Context, o Options) (*Cluster, error) {
	if !o.AllowInstall {
		return nil, unavailable("installing it was not allowed")
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return nil, unavailable("no apt-get here")
	}
	if os.Geteuid() != 0 {
		return nil, unavailable("installing needs root")
	}
	if err := installPackage(ctx, apt, o.log); err != nil {
		return nil, unavailable("%v", err)
	}
	return openBinaries(ctx, o, findBinaries, OriginPackage)
}

// installPackage keeps the package from making and starting a cluster of its own (`main`), which nobody asked for.
func installPackage(ctx context.Context, apt string, log func(string)) (err error) {
	dropIn := filepath.Join(createclusterDir, "umpire.conf")
	if _, statErr := os.Stat(dropIn); errors.Is(statErr, fs.ErrNotExist) {
		if err := os.MkdirAll(createclusterDir, 0o755); err != nil {
			return err
		}
		text := "# Written for the time of one installation.\ncreate_main_cluster = false\n"
		if err := os.WriteFile(dropIn, []byte(text), 0o644); err != nil {
			return err
		}
		// Later installations are the operator's again. After a failure it stays: a repair would make the cluster.
		defer func() {
			if err == nil {
				err = os.Remove(dropIn)
			}
		}()
	}
	for _, args := range [][]string{
		{"update"},
		{"install", "-y", "--no-install-recommends", "postgresql"},
	} {
		log("apt-get " + strings.Join(args, " "))
		if err := run(ctx, log, apt, args...); err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return nil
}

// run passes a program's output on line by line.
func run(ctx context.Context, log func(string), program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	var last []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		log("  " + lines.Text())
		last = append(last, lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(last[max(0, len(last)-3):], " | "))
	}
	return nil
}
