package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ory/dockertest/v3/docker"
)

const repository = "umpire-test-postgres"

// debianSuites says which release of Debian has which version.
var debianSuites = map[string]string{"17": "trixie", "18": "forky"}

//go:embed Dockerfile
var dockerfile []byte

//go:embed packages.sh
var packages []byte

const (
	buildTimeout  = 15 * time.Minute
	silentTimeout = time.Minute // of a registry
)

// recipe names what an image was made by, so that a changed recipe makes a new one.
func recipe(version string, files ...[]byte) string {
	h := sha256.New()
	fmt.Fprintln(h, version, debianSuites[version])
	for _, f := range files {
		fmt.Fprintln(h, len(f))
		h.Write(f)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// ensure returns the image's name and makes it when the engine has none of this recipe.
func ensure(ctx context.Context, client *docker.Client, version string) (string, error) {
	kept := version + "-" + recipe(version, dockerfile, packages)
	_, err := client.InspectImage(repository + ":" + kept)
	switch {
	case err == nil:
		say("%s:%s is there already", repository, kept)
	case !errors.Is(err, docker.ErrNoSuchImage):
		return "", err
	default:
		started := time.Now()
		ctx, cancel := context.WithTimeout(ctx, buildTimeout)
		defer cancel()
		if err := build(ctx, client, version, kept); err != nil {
			return "", err
		}
		say("%s:%s made in %s", repository, kept, time.Since(started).Round(time.Second))
	}
	err = client.TagImage(repository+":"+kept, docker.TagImageOptions{Repo: repository, Tag: version, Force: true, Context: ctx})
	return repository + ":" + version, err
}

// build goes the first way that is open: on top of the official image, or out of Debian's packages.
func build(ctx context.Context, client *docker.Client, version, tag string) error {
	official := pull(ctx, client, version)
	if official == nil {
		say("building on postgres:%s", version)
		return buildOnOfficial(ctx, client, version, tag)
	}
	say("postgres:%s is not to be had (%v); making an image out of Debian's packages", version, official)
	if err := buildFromPackages(ctx, client, version, tag); err != nil {
		return errors.Join(fmt.Errorf("postgres:%s: %w", version, official), fmt.Errorf("out of packages: %w", err))
	}
	return nil
}

func pull(ctx context.Context, client *docker.Client, version string) error {
	if _, err := client.InspectImage("postgres:" + version); err == nil {
		return nil
	}
	say("fetching postgres:%s", version)
	err := client.PullImage(docker.PullImageOptions{
		Repository: "postgres", Tag: version, OutputStream: io.Discard, InactivityTimeout: silentTimeout, Context: ctx,
	}, docker.AuthConfiguration{})
	if err != nil {
		return err
	}
	// A pull can fail with a message in its progress stream only.
	_, err = client.InspectImage("postgres:" + version)
	return err
}

func buildOnOfficial(ctx context.Context, client *docker.Client, version, tag string) error {
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	if err := w.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(dockerfile))}); err != nil {
		return err
	}
	if _, err := w.Write(dockerfile); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return client.BuildImage(docker.BuildImageOptions{
		Name: repository + ":" + tag, BuildArgs: []docker.BuildArg{{Name: "VERSION", Value: version}},
		InputStream: &files, OutputStream: os.Stderr, RmTmpContainer: true, Context: ctx,
	})
}

func buildFromPackages(ctx context.Context, client *docker.Client, version, tag string) (err error) {
	if os.Geteuid() != 0 {
		return errors.New("unpacking packages with their owners needs root")
	}
	where, err := mirror(os.DirFS("/"), os.Getenv(mirrorVariable))
	if err != nil {
		return err
	}
	if err := haveMmdebstrap(ctx); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "umpire-image-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	script, root := filepath.Join(folder, "packages.sh"), filepath.Join(folder, "root.tar")
	if err := os.WriteFile(script, packages, 0o600); err != nil {
		return err
	}
	if err := program(ctx, os.Stderr, "sh", script, version, debianSuites[version], where, root); err != nil {
		return err
	}
	file, err := os.Open(root)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	say("handing it to the engine")
	return client.ImportImage(docker.ImportImageOptions{
		Repository: repository, Tag: tag, Source: "-", InputStream: file, OutputStream: io.Discard, Context: ctx,
	})
}

func haveMmdebstrap(ctx context.Context) error {
	if _, err := exec.LookPath("mmdebstrap"); err == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("mmdebstrap is not installed, and there is no apt-get to install it")
	}
	say("installing mmdebstrap")
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "mmdebstrap"}} {
		if err := program(ctx, os.Stderr, "apt-get", args...); err != nil {
			return err
		}
	}
	return nil
}

// program runs a program and passes on what it says.
func program(ctx context.Context, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	// Asked to end, it may clean up.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
