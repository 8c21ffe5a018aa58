package main

import (
	"io/fs"
	"path"
	"regexp"
)

// dispatchersFile makes functions out of the catalogue, within a statement that it puts together.
const dispatchersFile = "road/dispatchers.sql"

var (
	created    = regexp.MustCompile(`(?m)^create (?:or replace )?(?:function|procedure) ([a-z_]+\.[a-z0-9_]+)`)
	dispatcher = regexp.MustCompile(`\('(dispatch[a-z_]*)',|create or replace function road\.([a-z_]+)\(`)
)

// functionFiles says which file of functions/ makes which function.
func functionFiles(files fs.FS) (map[string]string, error) {
	sources := map[string]string{}
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".sql" {
			return err
		}
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		for _, m := range created.FindAllSubmatch(text, -1) {
			sources[string(m[1])] = p
		}
		if p == dispatchersFile {
			for _, m := range dispatcher.FindAllSubmatch(text, -1) {
				sources["road."+string(m[1])+string(m[2])] = p
			}
		}
		return nil
	})
	return sources, err
}
