package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const lineLength = 120

// page is Markdown under way. Headings get the anchors that GitHub gives them.
type page struct {
	strings.Builder
	anchors map[string]int
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// heading writes a heading and returns its anchor.
func (p *page) heading(level int, text string) string {
	if text := p.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		p.line("")
	}
	p.line("%s %s\n", strings.Repeat("#", level), escape(text))
	return p.anchor(text)
}

func (p *page) anchor(text string) string {
	a := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	n := p.anchors[a]
	p.anchors[a]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", a, n)
	}
	return a
}

// paragraph writes Markdown text, wrapped.
func (p *page) paragraph(text string) { p.line("%s\n", wrap(text, "")) }

func (p *page) bullet(format string, args ...any) {
	p.line("- %s", wrap(fmt.Sprintf(format, args...), "  "))
}

// inner is a bullet below a bullet.
func (p *page) inner(format string, args ...any) {
	p.line("  - %s", wrap(fmt.Sprintf(format, args...), "    "))
}

// rows writes a table whose cells are Markdown already, but for the bars in them.
func (p *page) rows(header []string, rows [][]string) {
	p.line("| %s |", strings.Join(header, " | "))
	p.line("|%s", strings.Repeat(" --- |", len(header)))
	for _, r := range rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", `\|`)
		}
		p.line("| %s |", strings.Join(cells, " | "))
	}
	p.line("")
}

// wrap breaks text into lines; all but the first are indented. A word that would begin a list, a quotation or a heading
// stays on the line before it, and code stays in one piece.
func wrap(text, indent string) string {
	var b strings.Builder
	length := 0
	for i, word := range words(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			length = len(indent)
		case length+1+n > lineLength && !beginsBlock(word):
			b.WriteString("\n" + indent)
			length = len(indent)
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

// words splits at blanks, but not within code.
func words(text string) []string {
	var list []string
	open := false
	for _, w := range strings.Fields(text) {
		if open {
			list[len(list)-1] += " " + w
		} else {
			list = append(list, w)
		}
		if strings.Count(w, "`")%2 == 1 {
			open = !open
		}
	}
	return list
}

func beginsBlock(word string) bool {
	switch word[0] {
	case '>', '#':
		return true
	case '-', '+', '*', '=', '|':
		return len(word) == 1
	}
	trimmed := strings.TrimLeft(word, "0123456789")
	return len(trimmed) < len(word) && (trimmed == "." || trimmed == ")")
}

// escape makes plain text mean itself in Markdown.
func escape(text string) string {
	var b strings.Builder
	runes := []rune(text)
	part := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		switch r {
		case '\\', '`', '*', '<', '[', ']':
			b.WriteByte('\\')
		case '_':
			if !part(i-1) || !part(i+1) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code quotes text as code, with as many backticks as it needs.
func code(text string) string {
	if text == "" {
		return ""
	}
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

func codes(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = code(s)
	}
	return strings.Join(quoted, ", ")
}
