package main

import (
	"fmt"
	"regexp"
	"strings"
)

// problems lists what the page would have to leave out: whatever has no comment, a table without foreign keys that does
// not say why, and what the page does not know.
func (db *database) problems() []string {
	var found []string
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, r := range db.Roles {
		if r.Comment == "" {
			say("role %s has no comment", r.Name)
		}
	}
	for _, s := range db.Schemas {
		if s.Comment == "" {
			say("schema %s has no comment, or does not exist", s.Name)
		}
		for _, t := range s.Tables {
			t.problems("table", say)
			if !t.hasForeignKey() && len(t.whyNoForeignKey()) == 0 {
				say("table %s has no foreign key, and no comment of it or of its columns says why (in a sentence with the words \"foreign key\")", t.Name)
			}
		}
		for _, v := range s.Views {
			v.problems("view", say)
		}
		for _, c := range s.Types {
			if c.Comment == "" {
				say("type %s has no comment", c.Name)
			}
		}
		for _, f := range s.Functions {
			if f.Comment == "" {
				say("function %s has no comment", f.Name)
			}
			if f.File == "" {
				say("function %s comes from no file of functions/", f.Name)
			}
		}
	}
	for _, name := range db.Strange {
		say("%s is of a kind that docs/schemaref does not show yet", name)
	}
	return found
}

func (t table) problems(what string, say func(string, ...any)) {
	if t.Comment == "" {
		say("%s %s has no comment", what, t.Name)
	}
	for _, c := range t.Columns {
		if c.Comment == "" {
			say("column %s.%s has no comment", t.Name, c.Name)
		}
	}
	for _, i := range t.Indexes {
		if i.Constraint == "" && i.Comment == "" {
			say("index %s of %s has no comment", i.Name, t.Name)
		}
	}
}

func (t table) hasForeignKey() bool {
	for _, c := range t.Constraints {
		if c.Kind == "f" {
			return true
		}
	}
	return false
}

// reason is a sentence of a comment; Column is empty when it is the table's.
type reason struct{ Column, Sentence string }

func (t table) whyNoForeignKey() []reason {
	var reasons []reason
	for _, s := range sentencesWith(t.Comment, "foreign key") {
		reasons = append(reasons, reason{"", s})
	}
	for _, c := range t.Columns {
		for _, s := range sentencesWith(c.Comment, "foreign key") {
			reasons = append(reasons, reason{c.Name, s})
		}
	}
	return reasons
}

var sentenceEnd = regexp.MustCompile(`[.!?] +`)

func sentencesWith(text, words string) []string {
	var list []string
	for text != "" {
		sentence := text
		if at := sentenceEnd.FindStringIndex(text); at != nil {
			sentence, text = text[:at[0]+1], text[at[1]:]
		} else {
			text = ""
		}
		if strings.Contains(strings.ToLower(sentence), words) {
			list = append(list, sentence)
		}
	}
	return list
}
