package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

// containerLabel marks our containers: docker ps --filter label=umpire.postgres
const containerLabel = "umpire.postgres"

// containerScript runs as the image's user postgres. It needs initdb and postgres, wherever they are, and a shell. So it
// works with the official image, past whose own entry point it goes, and with a root file system made of packages.
//
// The standard input is held open by us; when we die, however, the engine closes it and the server stops.
const containerScript = `
set -eu
bin=$(dirname "$(command -v initdb || true)")
[ -x "$bin/initdb" ] || for d in /usr/lib/postgresql/*/bin; do [ -x "$d/initdb" ] && bin=$d; done
[ -x "$bin/initdb" ] || { echo "no initdb in this image"; exit 64; }
umask 077
run=$(mktemp -d /tmp/umpire-pg-XXXXXX)
printf '%s\n' "$UMPIRE_PASSWORD" >"$run/password"
for locale in C.UTF-8 C; do
    "$bin/initdb" -D "$run/data" -U postgres -E UTF8 --locale="$locale" -A scram-sha-256 --pwfile="$run/password" -N && break
    rm -rf "$run/data"
done
rm "$run/password"
echo "host all all all scram-sha-256" >>"$run/data/pg_hba.conf"
exec 3<&0
"$bin/postgres" -D "$run/data" "$@" &
server=$!
trap 'kill -INT $server' INT TERM
{ cat >/dev/null <&3; kill -QUIT $server; } 2>/dev/null &
wait $server
`

// engineTimeout bounds one question to the engine; pullTimeout bounds fetching the image.
const (
	engineTimeout = 5 * time.Second
	pullTimeout   = 5 * time.Minute
)

// openDocker starts a throwaway server in a container.
func openDocker(ctx context.Context, o Options) (_ *Cluster, err error) {
	pool, err := dockertest.NewPool("")
	if err != nil {
		return nil, unavailable("no usable engine: %v", err)
	}
	pingCtx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if err := pool.Client.PingWithContext(pingCtx); err != nil {
		return nil, unavailable("no engine answers: %v", err)
	}
	if o.DataDir != "" {
		return nil, unavailable("an engine answers, but a data folder is to be kept, and a container is only used for throwaway data")
	}
	image := o.image()
	if err := ensureImage(ctx, pool.Client, image, o.log); err != nil {
		return nil, unavailable("an engine answers, but the image %s cannot be had: %v", image, err)
	}

	o.log("starting a container of " + image)
	password := rand.Text()
	c, err := runContainer(ctx, pool.Client, image, password, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.stop(context.WithoutCancel(ctx)))
		}
	}()
	adminURL := tcpURL(c.port, password, maintenance)
	if err := c.waitReady(ctx, adminURL); err != nil {
		return nil, err
	}
	version, err := prepare(ctx, adminURL, "", o.database())
	if err != nil {
		return nil, err
	}
	return &Cluster{
		URL: tcpURL(c.port, password, o.database()), Durable: false, Origin: OriginDocker, Version: version, Port: c.port, running: c,
	}, nil
}

// ensureImage fetches the image when the engine does not have it.
func ensureImage(ctx context.Context, client *docker.Client, image string, log func(string)) error {
	if _, err := client.InspectImage(image); err == nil {
		return nil
	}
	log("fetching the image " + image)
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	repository, tag := docker.ParseRepositoryTag(image)
	if tag == "" {
		tag = "latest"
	}
	err := client.PullImage(docker.PullImageOptions{
		Repository: repository, Tag: tag, OutputStream: io.Discard, InactivityTimeout: time.Minute, Context: ctx,
	}, docker.AuthConfiguration{})
	if err != nil {
		return err
	}
	// A pull can fail with a message in its progress stream only.
	_, err = client.InspectImage(image)
	return err
}

// container is a runner.
type container struct {
	client *docker.Client
	id     string
	port   int
	attach io.Closer // ends the connection that holds the container's standard input open
	hold   *io.PipeWriter

	removing  sync.Once
	removeErr error
}

func runContainer(ctx context.Context, client *docker.Client, image, password string, o Options) (_ *container, err error) {
	const port = docker.Port("5432/tcp")
	command := []string{"-c", containerScript, "umpire", "-c", "listen_addresses=*", "-c", "unix_socket_directories=/tmp",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=on", "-c", "logging_collector=off",
		"-c", "timezone=UTC", "-c", "log_timezone=UTC"}
	for name, value := range o.Settings {
		command = append(command, "-c", name+"="+value)
	}
	hostPort := "" // the engine chooses
	if o.Port != 0 {
		hostPort = strconv.Itoa(o.Port)
	}
	created, err := client.CreateContainer(docker.CreateContainerOptions{
		Context: ctx,
		Config: &docker.Config{
			Image: image, User: superuser, Entrypoint: []string{"/bin/sh"}, Cmd: command,
			Env:          []string{"UMPIRE_PASSWORD=" + password, "LC_ALL=C"},
			Labels:       map[string]string{containerLabel: strconv.Itoa(os.Getpid())},
			ExposedPorts: map[docker.Port]struct{}{port: {}},
			// The data lies outside the image's layers, through which every new file of a database would go slowly.
			Volumes:   map[string]struct{}{"/tmp": {}},
			OpenStdin: true, StdinOnce: true, AttachStdin: true,
		},
		HostConfig: &docker.HostConfig{
			PortBindings: map[docker.Port][]docker.PortBinding{port: {{HostIP: "127.0.0.1", HostPort: hostPort}}},
			AutoRemove:   true,
			ShmSize:      256 << 20,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("creating the container: %w", err)
	}
	c := &container{client: client, id: created.ID}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.stop(context.WithoutCancel(ctx)))
		}
	}()

	reader, writer := io.Pipe()
	c.hold = writer
	attached := make(chan struct{})
	c.attach, err = client.AttachToContainerNonBlocking(docker.AttachToContainerOptions{
		Container: c.id, InputStream: reader, Stream: true, Stdin: true, Success: attached,
	})
	if err != nil {
		return nil, fmt.Errorf("attaching to the container: %w", err)
	}
	select {
	case <-attached:
		attached <- struct{}{} // the library waits for this before it passes data on
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := client.StartContainerWithContext(c.id, nil, ctx); err != nil {
		return nil, fmt.Errorf("starting the container: %w", err)
	}
	for {
		info, err := client.InspectContainerWithContext(c.id, ctx)
		if err != nil {
			return nil, fmt.Errorf("inspecting the container: %w", err)
		}
		if bound := info.NetworkSettings.Ports[port]; len(bound) > 0 {
			c.port, err = strconv.Atoi(bound[0].HostPort)
			if err != nil {
				return nil, fmt.Errorf("the engine published port %q: %w", bound[0].HostPort, err)
			}
			return c, nil
		}
		if !info.State.Running {
			return nil, fmt.Errorf("the container ended (exit code %d): %s", info.State.ExitCode, info.State.Error)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// waitReady waits for two answers in a row: images are known to start a server for their own setup first.
func (c *container) waitReady(ctx context.Context, connString string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	said := ""
	for answers := 0; answers < 2; {
		if ready(ctx, connString) {
			answers++
			continue
		}
		answers = 0
		if text, err := c.logs(ctx); err == nil {
			said = text
		}
		info, err := c.client.InspectContainerWithContext(c.id, ctx)
		var gone *docker.NoSuchContainer
		if errors.As(err, &gone) || err == nil && !info.State.Running {
			return fmt.Errorf("the container ended before PostgreSQL took connections. It said:\n%s", lastLines(said, 20))
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("%w, and no server answers at %s. The container said:\n%s",
				err, net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)), lastLines(said, 20))
		}
	}
	return nil
}

func (c *container) logs(ctx context.Context) (string, error) {
	var text strings.Builder
	err := c.client.Logs(docker.LogsOptions{
		Context: ctx, Container: c.id, OutputStream: &text, ErrorStream: &text, Stdout: true, Stderr: true, Tail: "20",
	})
	return text.String(), err
}

// stop removes the container; its data is throwaway.
func (c *container) stop(ctx context.Context) error {
	c.removing.Do(func() {
		err := c.client.RemoveContainer(docker.RemoveContainerOptions{Context: ctx, ID: c.id, Force: true, RemoveVolumes: true})
		var gone *docker.NoSuchContainer
		var failed *docker.Error
		switch {
		case err == nil, errors.As(err, &gone):
		case errors.As(err, &failed) && failed.Status == 409: // the engine is removing it already
		default:
			c.removeErr = fmt.Errorf("removing the container %.12s: %w", c.id, err)
		}
		if c.hold != nil {
			_ = c.hold.Close()
		}
		if c.attach != nil {
			_ = c.attach.Close()
		}
	})
	return c.removeErr
}

func (c *container) kill() error                   { return errNotOurs }
func (c *container) restart(context.Context) error { return errNotOurs }

func (c *container) alive() bool {
	info, err := c.client.InspectContainer(c.id)
	return err == nil && info.State.Running
}
