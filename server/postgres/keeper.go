package postgres

import (
	"io"
	"os/exec"
	"syscall"
)

// keeperScript waits until its standard input ends, which happens at our death however we die. Then it makes sure that
// the server stops (only if the number in the lock file is still that server) and removes the run folder.
const keeperScript = `
run=$1 data=$2 signal=$3
read -r _
ours() {
    pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null || return 1
    [ ! -d /proc/self ] || [ "$(readlink "/proc/$pid/cwd")" = "$data" ]
}
n=0
while ours && [ $n -lt 300 ]; do
    [ $n -gt 0 ] || kill -"$signal" "$pid"
    sleep 0.1
    n=$((n + 1))
done
ours && kill -KILL "$pid"
rm -rf -- "$run"
`

// A keeper is a small process that outlives us to clean up when we could not.
type keeper struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

// startKeeper guards run and the server of data. signal is INT (clean stop) or QUIT (at once).
func startKeeper(run, data, signal string) (*keeper, error) {
	cmd := exec.Command("/bin/sh", "-c", keeperScript, "umpire-keeper", run, data, signal)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &keeper{cmd: cmd, stdin: stdin}, nil
}

// dismiss lets the keeper do its last work and waits for it.
func (k *keeper) dismiss() error {
	_ = k.stdin.Close()
	return k.cmd.Wait()
}
