package postgres

import (
	"context"
	"testing"
)

func TestScratchBin(t *testing.T) {
	c, err := Open(context.Background(), Options{Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %d %s %v", c.URL, c.Version, c.Dir, c.Durable)
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestScratchDocker(t *testing.T) {
	c, err := openDocker(context.Background(), Options{Image: "umpire-pg17:test", Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %d %s %v", c.URL, c.Version, c.Dir, c.Durable)
	if err := c.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
