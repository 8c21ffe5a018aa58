package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report prints the table and what no test executed, and fails below the bar.
func report(out io.Writer, list []function, goList []goPackage) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, total, covered int) {
		_, _ = fmt.Fprintf(table, "%d\t%d\t%s\t  %s\n", total, covered, percent(total, covered), name)
	}
	_, _ = fmt.Fprintf(table, "statements\texecuted\t\t  PL/pgSQL\n")
	names, sums := folders(list)
	for _, name := range names {
		for _, f := range list {
			if f.folder() == name {
				row(f.name, f.total, f.covered)
			}
		}
		row("functions/"+name+", together", sums[name].total, sums[name].covered)
	}
	_, _ = fmt.Fprintf(table, "\t\t\t\nstatements\texecuted\t\t  Go\n")
	var all goPackage
	for _, p := range goList {
		row(p.name, p.total, p.covered)
		all.total, all.covered = all.total+p.total, all.covered+p.covered
	}
	row("Go, together", all.total, all.covered)
	if err := table.Flush(); err != nil {
		return err
	}

	first := true
	for _, f := range list {
		for _, m := range f.missed {
			if first {
				_, _ = fmt.Fprintf(out, "\nPL/pgSQL that no test executed:\n")
				first = false
			}
			_, _ = fmt.Fprintf(out, "  %s:%d  %s  %s\n", f.where(), m.line, m.name, m.text)
		}
	}
	road, found := sums["road"]
	if !found || road.total == 0 {
		return fmt.Errorf("nothing of functions/road was found")
	}
	if float64(road.covered) < roadBar*float64(road.total) {
		return fmt.Errorf("functions/road: %d of %d statements were executed (%s); %.0f %% is the bar",
			road.covered, road.total, percent(road.total, road.covered), roadBar*100)
	}
	return nil
}

func percent(total, covered int) string {
	if total == 0 {
		return "-"
	}
	// Rounded down: what is not all is never shown as 100.0 %.
	return fmt.Sprintf("%.1f %%", float64(covered*1000/total)/10)
}
