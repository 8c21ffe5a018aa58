package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"
)

const installFile = "install.sql"

// Lines that marked puts round each file, so that evaluated text can be traced back.
const (
	fileMark = "--@file "
	endMark  = "--@end"
)

// noValue is what a template leaves for a key that its data lacks.
const noValue = "<no value>"

// marked is a functions package whose files, but install.sql, are wrapped in marks.
type marked struct{ fs.FS }

func (m marked) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(m.FS, name)
	if err != nil || name == installFile || path.Ext(name) != ".sql" {
		return text, err
	}
	return []byte(fileMark + name + "\n" + strings.TrimSuffix(string(text), "\n") + "\n" + endMark + "\n"), nil
}

// code is an evaluated functions package.
type code struct {
	hash   string
	chunks []chunk
}

// A chunk is text between two marks: all of one file, unless that pulls in others. Chunks are sent one by one within one
// transaction, so even an error without a position names its file. So a template line must stand between statements.
type chunk struct {
	file  string
	sql   string
	lines []int // line numbers in file, one per line of sql
}

func loadCode(functions fs.FS) (*code, error) {
	hash, err := CheckCodeHash(functions)
	if err != nil {
		return nil, err
	}
	pkg, err := migrate.LoadCodePackage(marked{functions})
	if err != nil {
		return nil, fmt.Errorf("functions: %w", templateLine(err))
	}
	text, err := pkg.Eval(map[string]any{})
	if err != nil {
		return nil, fmt.Errorf("functions: %w", templateLine(err))
	}
	chunks, err := split(text)
	if err != nil {
		return nil, err
	}
	return &code{hash: hash, chunks: chunks}, nil
}

// templateLine takes the mark's line out of a template error's line number.
func templateLine(err error) error {
	m := regexp.MustCompile(`^template: (\S+?):(\d+)(.*)(?s:(.*))$`).FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	line, convErr := strconv.Atoi(m[2])
	if convErr != nil {
		return err
	}
	if m[1] != installFile {
		line--
	}
	return fmt.Errorf("functions/%s:%d%s%s", m[1], line, m[3], m[4])
}

// split cuts evaluated text at its marks.
func split(text string) ([]chunk, error) {
	type open struct {
		file string
		next int // number of the file's next line
	}
	stack := []open{{file: installFile, next: 1}}
	var chunks []chunk
	var sql strings.Builder
	var lines []int
	flush := func() {
		if strings.TrimSpace(sql.String()) != "" {
			chunks = append(chunks, chunk{file: stack[len(stack)-1].file, sql: sql.String(), lines: lines})
		}
		sql.Reset()
		lines = nil
	}
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		top := &stack[len(stack)-1]
		switch {
		case strings.HasPrefix(bare, fileMark):
			flush()
			stack = append(stack, open{file: strings.TrimPrefix(bare, fileMark), next: 1})
		case bare == endMark && len(stack) > 1:
			// What follows is the rest of the line that held the template action: it keeps its number.
			flush()
			stack = stack[:len(stack)-1]
		case strings.Contains(bare, fileMark):
			return nil, fmt.Errorf("functions/%s:%d: a template must be pulled in on a line of its own", top.file, top.next)
		case strings.Contains(bare, noValue):
			return nil, fmt.Errorf("functions/%s:%d: a template key without a value: %s", top.file, top.next, strings.TrimSpace(bare))
		default:
			sql.WriteString(line)
			lines = append(lines, top.next)
			top.next++
		}
	}
	flush()
	return chunks, nil
}

// run sends all chunks; the caller holds the transaction.
func (c *code) run(ctx context.Context, conn *pgx.Conn) error {
	for _, part := range c.chunks {
		if err := part.run(ctx, conn.PgConn()); err != nil {
			return err
		}
	}
	return nil
}

func (c chunk) run(ctx context.Context, conn *pgconn.PgConn) error {
	results := conn.Exec(ctx, c.sql)
	done := 0
	for results.NextResult() {
		if _, err := results.ResultReader().Close(); err == nil {
			done++
		}
	}
	err := results.Close()
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		if err != nil {
			return fmt.Errorf("functions/%s: %w", c.file, err)
		}
		return nil
	}
	place := locate(c.sql, int(pgErr.Position), done)
	if place.line > 0 && place.line <= len(c.lines) {
		place.line = c.lines[place.line-1]
	}
	return &SQLError{File: "functions/" + c.file, Line: place.line, Column: place.column, Text: place.text, PgError: pgErr}
}
