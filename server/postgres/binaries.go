package postgres

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An installation is one folder with the programs of a server.
type installation struct {
	bin   string
	major int
}

func (i installation) program(name string) string { return filepath.Join(i.bin, name) }

// findBinaries looks where distributions and people put servers. The newest comes first; those older than MinVersion
// are left out and told in tooOld.
func findBinaries(ctx context.Context) (found []installation, tooOld []string) {
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		// initdb lies beside the real file, not beside a link to it.
		if real, err := filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"} {
		matches, _ := filepath.Glob(pattern) // the only error is a bad pattern
		dirs = append(dirs, matches...)
	}
	return inspect(ctx, dirs)
}

// inspect keeps of dirs those that hold a whole server.
func inspect(ctx context.Context, dirs []string) (found []installation, tooOld []string) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[dir] {
			continue
		}
		seen[dir] = true
		if !executable(filepath.Join(dir, "initdb")) {
			continue
		}
		out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		major, err := parseMajor(string(out))
		if err != nil {
			continue
		}
		if major < MinVersion {
			tooOld = append(tooOld, fmt.Sprintf("%s (%d)", dir, major))
			continue
		}
		found = append(found, installation{bin: dir, major: major})
	}
	slices.SortStableFunc(found, func(a, b installation) int { return cmp.Compare(b.major, a.major) })
	return found, tooOld
}

// parseMajor reads "postgres (PostgreSQL) 15.18 (Debian …)" and "… 18beta1".
func parseMajor(version string) (int, error) {
	m := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindStringSubmatch(version)
	if m == nil {
		return 0, fmt.Errorf("no version in %q", version)
	}
	return strconv.Atoi(m[1])
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// openBinaries starts the newest server that find returns.
func openBinaries(ctx context.Context, o Options, find func(context.Context) ([]installation, []string), origin string) (*Cluster, error) {
	found, tooOld := find(ctx)
	if len(found) == 0 {
		reason := "none in PATH, /usr/lib/postgresql/*/bin, /usr/pgsql-*/bin, /usr/local/pgsql/bin"
		if len(tooOld) > 0 {
			reason += "; too old: " + strings.Join(tooOld, ", ")
		}
		return nil, unavailable("%s", reason)
	}
	runAs, err := serverAccount()
	if err != nil {
		return nil, err
	}

	use := found[0]
	if o.DataDir != "" {
		// A kept folder decides which major version serves it.
		if major, ok, err := dataMajor(o.DataDir); err != nil {
			return nil, err
		} else if ok {
			i := slices.IndexFunc(found, func(i installation) bool { return i.major == major })
			if i < 0 {
				return nil, fmt.Errorf("the data folder %s was made by PostgreSQL %d, and only %s is installed: "+
					"install %d, move the data with pg_upgrade, or name another folder",
					o.DataDir, major, majors(found), major)
			}
			use = found[i]
		}
	}
	o.log(fmt.Sprintf("starting PostgreSQL %d from %s", use.major, use.bin))
	return startOwn(ctx, o, use, runAs, origin)
}

func majors(found []installation) string {
	var names []string
	for _, i := range found {
		names = append(names, strconv.Itoa(i.major))
	}
	return strings.Join(slices.Compact(names), ", ")
}
