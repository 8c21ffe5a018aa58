package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLError is an error of PostgreSQL in one of our files.
type SQLError struct {
	File   string // from the repository's root
	Line   int    // 0 when PostgreSQL does not tell
	Column int    // 0 when only the statement's line is known
	Text   string // that line
	*pgconn.PgError
}

func (e *SQLError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	fmt.Fprintf(&b, ": %s (SQLSTATE %s)", e.Message, e.Code)
	for _, more := range []struct{ name, text string }{
		{"line", strings.TrimSpace(e.Text)}, {"detail", e.Detail}, {"hint", e.Hint}, {"context", e.Where},
	} {
		if more.text != "" {
			fmt.Fprintf(&b, "\n    %s: %s", more.name, more.text)
		}
	}
	return b.String()
}

func (e *SQLError) Unwrap() error { return e.PgError }

type place struct {
	line, column int
	text         string
}

// locate finds the line of an error in text that was sent as one simple query. position counts characters from 1, as
// PostgreSQL does; 0 means that there is none: then it is the statement after those that are done.
func locate(sql string, position, done int) place {
	runes := []rune(sql)
	column := position > 0
	if !column {
		starts := statements(runes)
		if done >= len(starts) {
			return place{}
		}
		position = starts[done] + 1
	}
	if position > len(runes) {
		position = len(runes) // an error at the end of the input stands one past it
	}
	if position == 0 {
		return place{}
	}
	before := string(runes[:position-1])
	p := place{line: strings.Count(before, "\n") + 1}
	start := strings.LastIndex(before, "\n") + 1
	if column {
		p.column = len([]rune(before[start:])) + 1
	}
	p.text, _, _ = strings.Cut(sql[start:], "\n")
	return p
}

// statements returns where the statements begin. It knows strings, quoted names, dollar quotes and comments; the bodies
// of `begin atomic` functions it would count apart, which moves a line number and no more.
func statements(sql []rune) []int {
	var starts []int
	inside := false // a statement has begun
	begin := func(i int) {
		if !inside {
			starts = append(starts, i)
			inside = true
		}
	}
	at := func(i int, s string) bool {
		for _, r := range s {
			if i >= len(sql) || sql[i] != r {
				return false
			}
			i++
		}
		return true
	}
	// past returns the index after the next s, from i on.
	past := func(i int, s string) int {
		for ; i < len(sql); i++ {
			if at(i, s) {
				return i + len([]rune(s))
			}
		}
		return len(sql)
	}
	for i := 0; i < len(sql); {
		switch r := sql[i]; {
		case at(i, "--"):
			i = past(i, "\n")
		case at(i, "/*"):
			depth := 1
			for i += 2; i < len(sql) && depth > 0; {
				switch {
				case at(i, "/*"):
					depth++
					i += 2
				case at(i, "*/"):
					depth--
					i += 2
				default:
					i++
				}
			}
		case r == '\'' || r == '"':
			begin(i)
			escapes := r == '\'' && i > 0 && (sql[i-1] == 'e' || sql[i-1] == 'E') && (i == 1 || !isWord(sql[i-2]))
			for i++; i < len(sql) && sql[i] != r; i++ {
				if escapes && sql[i] == '\\' {
					i++
				}
			}
			i++ // a doubled quote begins the next string at once
		case r == '$' && (i == 0 || !isWord(sql[i-1])):
			begin(i)
			end := i + 1
			for end < len(sql) && isWord(sql[end]) {
				end++
			}
			if end < len(sql) && sql[end] == '$' {
				tag := string(sql[i : end+1])
				i = past(end+1, tag)
			} else {
				i++
			}
		case r == ';':
			inside = false
			i++
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f':
			i++
		default:
			begin(i)
			i++
		}
	}
	return starts
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}
