package postgres

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Open finds a PostgreSQL server or brings one, in this order: Options.URL; installed server binaries, the newest first;
// a Docker engine; Debian's package, if it may be installed. Whoever names an image (Options.Image) wants a container and
// nothing else. The error of the last resort lists what was tried.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	return open(ctx, o, waysFor(o))
}

// A way is one means of getting a server. An error that is an *unavailableError lets Open go on to the next way; any
// other one ends the search, because something that should have worked did not.
type way struct {
	name string
	try  func(ctx context.Context, o Options) (*Cluster, error)
}

func waysFor(o Options) []way {
	container := way{"Docker", openDocker}
	if o.Image != "" {
		return []way{container}
	}
	return []way{
		{"installed server binaries", func(ctx context.Context, o Options) (*Cluster, error) {
			return openBinaries(ctx, o, findBinaries, OriginBinaries)
		}},
		container,
		{"Debian's package", openPackage},
	}
}

// unavailableError says why a way cannot be gone here.
type unavailableError struct{ reason string }

func (e *unavailableError) Error() string { return e.reason }

func unavailable(format string, args ...any) error {
	return &unavailableError{reason: fmt.Sprintf(format, args...)}
}

// NotFoundError is returned by Open when there is no server to be had by any way.
type NotFoundError struct {
	// Tried has one line for each way: what it is and why it failed.
	Tried []string
	// Commands are what a person may type to help.
	Commands []string
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no PostgreSQL %d or newer to be had. Tried:\n", MinVersion)
	for _, t := range e.Tried {
		fmt.Fprintf(&b, "  - %s\n", t)
	}
	b.WriteString("One of these helps:")
	for _, c := range e.Commands {
		fmt.Fprintf(&b, "\n    %s", c)
	}
	return b.String()
}

func open(ctx context.Context, o Options, ways []way) (*Cluster, error) {
	if o.URL != "" {
		return openURL(ctx, o.URL)
	}
	notFound := &NotFoundError{Tried: []string{"a database of yours: no URL given"}}
	for _, w := range ways {
		c, err := w.try(ctx, o)
		if err == nil {
			return c, nil
		}
		var u *unavailableError
		if !errors.As(err, &u) {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		o.log(w.name + ": " + u.reason)
		notFound.Tried = append(notFound.Tried, w.name+": "+u.reason)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w, while looking for a server", err)
		}
	}
	if _, err := exec.LookPath("apt-get"); err == nil {
		notFound.Commands = append(notFound.Commands, "apt-get update && apt-get install -y --no-install-recommends postgresql")
	}
	notFound.Commands = append(notFound.Commands,
		"docker pull "+o.image(),
		"export UMPIRE_DATABASE_URL=postgres://USER:PASSWORD@HOST:5432/"+o.database(),
	)
	return nil, notFound
}
