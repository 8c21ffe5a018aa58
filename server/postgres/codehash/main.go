// Command codehash writes functions/code_hash.sql, which carries the hash of all other function files into the
// database. Run it in the repository's root after every change below functions/.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"umpire/server/postgres"
)

func main() {
	dir := flag.String("dir", "functions", "folder of the functions package")
	check := flag.Bool("check", false, "change nothing; exit code 1 when the file is stale")
	flag.Parse()
	if err := run(*dir, *check); err != nil {
		fmt.Fprintln(os.Stderr, "codehash:", err)
		os.Exit(1)
	}
}

func run(dir string, check bool) error {
	// A wrong folder has no install.sql; do not write into it.
	if _, err := os.Stat(filepath.Join(dir, "install.sql")); err != nil {
		return err
	}
	files := os.DirFS(dir)
	if check {
		_, err := postgres.CheckCodeHash(files)
		return err
	}
	hash, err := postgres.CodeHash(files)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, postgres.CodeHashFile)
	want := postgres.CodeHashSQL(hash)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
		return nil
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		return err
	}
	fmt.Println(path, hash)
	return nil
}
