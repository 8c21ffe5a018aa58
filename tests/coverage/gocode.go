package main

import (
	"maps"
	"path"
	"slices"

	"golang.org/x/tools/cover"
)

// goPackage is one package and how many of its statements were executed.
type goPackage struct {
	name           string
	total, covered int
}

// goPackages reads go test's profile, in which each test binary reports on every package.
func goPackages(profile string) ([]goPackage, error) {
	files, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	sums := map[string]goPackage{}
	for _, f := range files {
		name := path.Dir(f.FileName)
		sum := sums[name]
		sum.name = name
		for _, b := range f.Blocks {
			sum.total += b.NumStmt
			if b.Count > 0 {
				sum.covered += b.NumStmt
			}
		}
		sums[name] = sum
	}
	var list []goPackage
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, sums[name])
	}
	return list, nil
}
