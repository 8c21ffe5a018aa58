package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// serverAccount is whom the server runs as: nil for whoever we are. PostgreSQL refuses to run as root, so root drops to
// the user that every package of PostgreSQL makes.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup(superuser)
	var unknown user.UnknownUserError
	if errors.As(err, &unknown) {
		return nil, unavailable("PostgreSQL refuses to run as root, and there is no user %q to drop to "+
			"(useradd --system %s, or start this program as another user)", superuser, superuser)
	}
	if err != nil {
		return nil, fmt.Errorf("looking up user %s: %w", superuser, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s has uid %q: %w", superuser, u.Uid, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s has gid %q: %w", superuser, u.Gid, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// giveTo makes path the server's own.
func giveTo(path string, c *syscall.Credential) error {
	if c == nil {
		return nil
	}
	return os.Chown(path, int(c.Uid), int(c.Gid))
}
