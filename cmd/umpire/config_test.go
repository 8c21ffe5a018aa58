package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// What nobody reads, or what is half set, stops the start and says what to do.
func TestConfigurationStopsTheStart(t *testing.T) {
	cert := t.TempDir() // exists, which is all that --tls-cert's type asks of a path that is never read
	for name, c := range map[string]struct {
		args    []string
		environ []string
		says    string
	}{
		"unknown variable":        {[]string{"version"}, []string{"UMPIRE_LISTN=:1"}, "UMPIRE_LISTN, which nothing reads; there are UMPIRE_"},
		"empty variable":          {[]string{"version"}, []string{"UMPIRE_LISTEN="}, "UMPIRE_LISTEN is set but empty"},
		"certificate without key": {[]string{"serve", "--tls-cert", "main.go"}, nil, "--tls-key (UMPIRE_TLS_KEY)"},
		"certificate is a folder": {[]string{"serve", "--tls-cert", cert}, nil, "--tls-cert"},
		"any origin":              {[]string{"serve", "--cors-origin", "*"}, nil, "* is not one"},
		"no time to stop":         {[]string{"serve", "--stop-timeout", "0s"}, nil, "--stop-timeout"},
		"unknown log format":      {[]string{"serve", "--log-format", "xml"}, nil, "--log-format"},
		"database not named":      {[]string{"migrate"}, nil, "UMPIRE_DATABASE_URL"},
		"data folder and URL":     {[]string{"dev", "--data", "x", "--database-url", "postgres://nowhere"}, nil, "--data is for a database of our own"},
		"image and data folder":   {[]string{"dev", "--image", "x", "--data", "x"}, nil, "--image is for throwaway data"},
		"image and URL":           {[]string{"dev", "--image", "x", "--database-url", "postgres://nowhere"}, nil, "--image is for throwaway data"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(context.Background(), c.args, c.environ, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error that says %q", err, c.says)
			}
		})
	}
}

func TestVersionIsPrinted(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), []string{"version"}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "umpire ") || !strings.Contains(out.String(), "migration ") {
		t.Errorf("printed %q", out.String())
	}
}
