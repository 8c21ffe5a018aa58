package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// hba: the socket lies in a folder that only the server's user (and root) can enter, so it needs no password, and every
// role can log in there. Anybody on the machine can reach 127.0.0.1, and a superuser may run programs: so a password.
const hba = `local all all trust
local replication all trust
host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
`

// passwordFile, inside the data folder, keeps the URL of a kept server the same from start to start.
const passwordFile = "umpire.password"

// startOwn makes the data folder if needed, starts a server on it and prepares the database.
func startOwn(ctx context.Context, o Options, install installation, runAs *syscall.Credential, origin string) (_ *Cluster, err error) {
	run, err := runFolder(runAs)
	if err != nil {
		return nil, fmt.Errorf("temp folder: %w", err)
	}
	s := &server{
		install: install, runAs: runAs, run: run, kept: o.DataDir != "",
		data: filepath.Join(run, "data"), log: filepath.Join(run, "postgres.log"),
	}
	signal := "QUIT"
	if s.kept {
		signal = "INT"
		if s.data, err = keptFolder(o.DataDir, runAs); err != nil {
			return nil, errors.Join(err, os.RemoveAll(run))
		}
		s.log = filepath.Join(s.data, "umpire-postgres.log")
	}
	if s.keeper, err = startKeeper(run, s.data, signal); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the keeper: %w", err), os.RemoveAll(run))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop(context.WithoutCancel(ctx)))
		}
	}()

	if _, err := os.Stat(filepath.Join(s.data, "PG_VERSION")); errors.Is(err, fs.ErrNotExist) {
		if err := s.initdb(ctx); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if s.args, err = s.arguments(o.Settings); err != nil {
		return nil, err
	}
	if err := s.startOnFreePort(ctx, o.Port); err != nil {
		return nil, err
	}

	c := &Cluster{
		Durable: s.kept, Origin: origin, Dir: s.data, Log: s.log, Socket: s.run, Port: s.port, running: s,
	}
	password, err := s.password()
	if err != nil {
		return nil, err
	}
	if c.Version, err = prepare(ctx, s.adminURL(maintenance), password, o.database()); err != nil {
		return nil, err
	}
	c.URL = tcpURL(s.port, password, o.database())
	return c, nil
}

// adminURL reaches the server through its socket.
func (s *server) adminURL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database}
	u.RawQuery = url.Values{"host": {s.run}, "port": {strconv.Itoa(s.port)}, "sslmode": {"disable"}}.Encode()
	return u.String()
}

func tcpURL(port int, password, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

func (s *server) initdb(ctx context.Context) error {
	base := []string{"-D", s.data, "-U", superuser, "--encoding=UTF8", "--auth=trust"}
	if s.kept {
		base = append(base, "--data-checksums")
	} else {
		base = append(base, "--no-sync")
	}
	var last error
	// Where the C library has no C.UTF-8 there is still C.
	for _, locale := range []string{"C.UTF-8", "C"} {
		cmd := exec.CommandContext(ctx, s.install.program("initdb"), append(base, "--locale="+locale)...)
		cmd.Dir = s.run
		cmd.Env = serverEnv()
		cmd.SysProcAttr = detached(s.runAs, 0)
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		last = fmt.Errorf("initdb: %w\n%s", err, lastLines(string(out), 20))
		if !strings.Contains(string(out), "locale name") {
			break
		}
	}
	return last
}

// arguments are all settings but the port, as command-line options: these win over the data folder's own files.
func (s *server) arguments(settings map[string]string) ([]string, error) {
	hbaPath := filepath.Join(s.run, "pg_hba.conf")
	if err := os.WriteFile(hbaPath, []byte(hba), 0o600); err != nil {
		return nil, err
	}
	if err := giveTo(hbaPath, s.runAs); err != nil {
		return nil, err
	}
	all := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"unix_socket_directories": s.run,
		"hba_file":                hbaPath,
		"logging_collector":       "off",
		"log_destination":         "stderr",
		"log_line_prefix":         "%m [%p] %q%a %u@%d ",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"password_encryption":     "scram-sha-256",
		"cluster_name":            "umpire",
	}
	if !s.kept {
		// Nothing here is to survive the machine. Commits still wait for the log, so that their order of events stays.
		all["fsync"] = "off"
		all["full_page_writes"] = "off"
		all["synchronous_commit"] = "on"
	}
	maps.Copy(all, settings)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args, nil
}

// startOnFreePort starts the server. Between finding a free port and using it somebody else may take it.
func (s *server) startOnFreePort(ctx context.Context, fixed int) error {
	for attempt := 1; ; attempt++ {
		s.port = fixed
		if fixed == 0 {
			port, err := freePort()
			if err != nil {
				return err
			}
			s.port = port
		}
		err := s.start(ctx)
		var failed *failedStart
		if errors.As(err, &failed) && failed.portTaken() {
			if fixed != 0 {
				return fmt.Errorf("port %d is taken: %w", fixed, err)
			}
			if attempt < 5 {
				continue
			}
		}
		return err
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

func (s *server) password() (string, error) {
	path := filepath.Join(s.data, passwordFile)
	text, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	password := rand.Text()
	if err := os.WriteFile(path, []byte(password+"\n"), 0o600); err != nil {
		return "", err
	}
	return password, giveTo(path, s.runAs)
}

// ready reports whether a server answers a query.
func ready(ctx context.Context, connString string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, connString)
	if err != nil {
		return false
	}
	defer closeConn(ctx, conn)
	var one int
	return conn.QueryRow(ctx, "select 1").Scan(&one) == nil
}

// prepare sets the superuser's password, creates the database and returns server_version_num.
func prepare(ctx context.Context, adminURL, password, database string) (int, error) {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return 0, err
	}
	defer closeConn(ctx, conn)
	version, err := checkServer(ctx, conn)
	if err != nil {
		return 0, fmt.Errorf("our own server: %w", err)
	}
	if password != "" {
		// The password is rand.Text or was: letters and digits only.
		if _, err := conn.Exec(ctx, "alter role "+superuser+" password '"+strings.ReplaceAll(password, "'", "''")+"'"); err != nil {
			return 0, fmt.Errorf("setting the password: %w", err)
		}
	}
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_catalog.pg_database where datname = $1)", database).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{database}.Sanitize()+" encoding 'UTF8' template template0"); err != nil {
			return 0, fmt.Errorf("creating database %s: %w", database, err)
		}
	}
	return version, nil
}
