package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// mirrorVariable names a mirror of Debian where the machine's own sources name none.
const mirrorVariable = "DEBIAN_MIRROR"

// mirror is where this machine gets Debian's packages from: what said says, else the first source of apt that is an
// archive of Debian. root is the file system.
func mirror(root fs.FS, said string) (string, error) {
	if said != "" {
		return said, nil
	}
	files := []string{"etc/apt/sources.list"}
	for _, pattern := range []string{"etc/apt/sources.list.d/*.sources", "etc/apt/sources.list.d/*.list"} {
		more, err := fs.Glob(root, pattern)
		if err != nil {
			return "", err
		}
		files = append(files, more...)
	}
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if found := debianIn(string(text)); found != "" {
			return found, nil
		}
	}
	return "", fmt.Errorf("none of apt's sources is an archive of Debian; %s may name a mirror", mirrorVariable)
}

// debianIn finds an archive of Debian in either form of apt's sources.
func debianIn(text string) string {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "deb" && fields[0] != "URIs:" {
			continue
		}
		i := slices.IndexFunc(fields, func(f string) bool {
			u, err := url.Parse(f)
			return err == nil && (u.Scheme == "http" || u.Scheme == "https") && path.Base(u.Path) == "debian"
		})
		if i >= 0 {
			return fields[i]
		}
	}
	return ""
}
