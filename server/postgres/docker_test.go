package postgres

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

// imageVariable names an image that the engine has; without it the container tests are left out.
const imageVariable = "UMPIRE_TEST_IMAGE"

func engine(t *testing.T) *docker.Client {
	t.Helper()
	pool, err := dockertest.NewPool("")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), engineTimeout)
	defer cancel()
	if err := pool.Client.PingWithContext(ctx); err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	return pool.Client
}

func containers(t *testing.T, client *docker.Client) int {
	t.Helper()
	list, err := client.ListContainers(docker.ListContainersOptions{All: true, Filters: map[string][]string{"label": {containerLabel}}})
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestContainer(t *testing.T) {
	client := engine(t)
	image := os.Getenv(imageVariable)
	if image == "" {
		t.Skip(imageVariable + " names no image")
	}
	before := containers(t, client)
	c, err := openDocker(t.Context(), Options{Image: image, Settings: map[string]string{"max_connections": "33"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Origin != OriginDocker || c.Durable || !c.Running() {
		t.Errorf("got %+v", c)
	}
	if n := query[string](t, connect(t, c.URL), "show max_connections"); n != "33" {
		t.Errorf("max_connections %s", n)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the container is removed", func() bool { return containers(t, client) == before })

	owner, says := startHelper(t, OriginDocker, "")
	connect(t, says.URL)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the container of a killed owner is removed", func() bool { return containers(t, client) == before })

	_, err = openDocker(t.Context(), Options{Image: image, Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("a container that cannot start: %v", err)
	}
	eventually(t, "the failed container is removed", func() bool { return containers(t, client) == before })
}

func TestImageNotToBeHad(t *testing.T) {
	engine(t)
	_, err := openDocker(t.Context(), Options{Image: "127.0.0.1:1/no/such:image"})
	var u *unavailableError
	if !errors.As(err, &u) || !strings.Contains(u.reason, "the image 127.0.0.1:1/no/such:image cannot be had") {
		t.Errorf("got %v", err)
	}
}
