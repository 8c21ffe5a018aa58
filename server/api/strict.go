package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth  = 64
	maxDigits = 40
	maxPath   = 200
)

// unreadable is why a body is not one value of strict JSON. Neither part holds a value of the body.
type unreadable struct {
	path    string // JSON pointer to where it broke
	message string
}

func (e *unreadable) Error() string { return e.message }

// strictBody is a body that was read strictly.
type strictBody struct {
	value   any                        // numbers as json.Number, as they are written
	members map[string]json.RawMessage // of an object: its members, as they came
}

// readStrictly reads a body that is exactly one JSON value and means the same to everybody who reads it. The decoder
// itself (RFC 7493) refuses broken UTF-8, lone surrogates, a member that comes twice and whatever is not JSON. Added
// here: NUL, which jsonb cannot hold; members that differ only in case, which readers take for one another; depth; and
// numbers whose written-out form is long, because numeric writes 1e9999 out.
func readStrictly(body []byte) (strictBody, *unreadable) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body))
	read := strictBody{members: map[string]json.RawMessage{}}
	var open []*container
	begin := 0 // where the value of a member of the outermost object begins, with its colon

	for {
		token, err := decoder.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) && decoder.InputOffset() == 0 {
				return read, &unreadable{message: "The body is empty."}
			}
			return read, syntax(err)
		}

		var value any
		switch token.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if decoder.StackDepth() > maxDepth {
				return read, at(decoder, "Objects and arrays are nested more than 64 deep.")
			}
			open = append(open, newContainer(token.Kind()))
			continue
		case jsontext.KindEndObject, jsontext.KindEndArray:
			value = open[len(open)-1].value()
			open = open[:len(open)-1]
		case jsontext.KindString:
			text := token.String()
			if strings.IndexByte(text, 0) >= 0 {
				return read, at(decoder, "A string holds the character NUL (U+0000), which cannot be stored.")
			}
			if len(open) > 0 && open[len(open)-1].wantsName() {
				if !open[len(open)-1].take(text) {
					return read, at(decoder, "A member comes twice in one object, in another case.")
				}
				if len(open) == 1 {
					begin = int(decoder.InputOffset())
				}
				continue
			}
			value = text
		case jsontext.KindNumber:
			number := token.String()
			if digits(number) > maxDigits {
				return read, at(decoder, "A number has more than 40 digits when it is written out in full.")
			}
			value = json.Number(number)
		case jsontext.KindTrue, jsontext.KindFalse:
			value = token.Bool()
		}

		if len(open) == 0 {
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return read, &unreadable{message: "The body holds more than one JSON value."}
			}
			read.value = value
			return read, nil
		}
		if inner := open[len(open)-1]; len(open) == 1 && inner.members != nil {
			read.members[inner.name] = bytes.TrimLeft(body[begin:decoder.InputOffset()], " \t\r\n:")
		}
		open[len(open)-1].add(value)
	}
}

// container is an object or array whose end was not read yet.
type container struct {
	members map[string]any // nil in an array
	folded  map[string]struct{}
	name    string // of the member whose value comes next
	named   bool
	items   []any
}

func newContainer(kind jsontext.Kind) *container {
	if kind == jsontext.KindBeginObject {
		return &container{members: map[string]any{}, folded: map[string]struct{}{}}
	}
	return &container{items: []any{}}
}

func (c *container) wantsName() bool { return c.members != nil && !c.named }

// take remembers a member's name; false when one that differs only in case was there before.
func (c *container) take(name string) bool {
	folded := fold(name)
	if _, twice := c.folded[folded]; twice {
		return false
	}
	c.folded[folded] = struct{}{}
	c.name, c.named = name, true
	return true
}

func (c *container) add(value any) {
	if c.members == nil {
		c.items = append(c.items, value)
		return
	}
	c.members[c.name], c.named = value, false
}

func (c *container) value() any {
	if c.members == nil {
		return c.items
	}
	return c.members
}

func at(decoder *jsontext.Decoder, message string) *unreadable {
	return &unreadable{path: plainPath(string(decoder.StackPointer())), message: message}
}

// syntax puts the decoder's complaint into words that hold nothing of the body: its own quote what it found.
func syntax(err error) *unreadable {
	found := &unreadable{message: "The body is not JSON."}
	var where *jsontext.SyntacticError
	if errors.As(err, &where) {
		found.path = plainPath(string(where.JSONPointer))
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			found.message = "A member comes twice in one object."
		case errors.Is(err, io.ErrUnexpectedEOF):
			found.message = "The body ends in the middle of its JSON value."
		case strings.Contains(where.Err.Error(), "UTF-8"), strings.Contains(where.Err.Error(), "surrogate"):
			found.message = "A string is not valid Unicode: broken UTF-8 or half of a surrogate pair."
		case strings.Contains(where.Err.Error(), "depth"):
			found.message = "Objects and arrays are nested more than 64 deep."
		}
	}
	return found
}

// fold maps names that differ only in case to the same text; a name in lower-case ASCII to itself.
func fold(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || 'A' <= r && r <= 'Z' }) {
		return name
	}
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		if 'A' <= least && least <= 'Z' {
			least += 'a' - 'A'
		}
		return least
	}, name)
}

// digits is how many digits a JSON number has when it is written without an exponent.
func digits(number string) int {
	mantissa, exponent, written := number, 0, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent = bounded(number[i+1:])
		written = len(number) - i - 1
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	before := max(len(whole)+exponent, 1)
	after := max(len(fraction)-exponent, 0)
	// Both parts count as they are too, so that a long row of zeros gains nothing.
	return max(before+after, len(whole)+len(fraction), written)
}

// bounded reads an exponent; beyond four digits its exact size no longer matters.
func bounded(exponent string) int {
	sign := 1
	if trimmed, negative := strings.CutPrefix(exponent, "-"); negative {
		sign, exponent = -1, trimmed
	}
	n := 0
	for _, c := range strings.TrimPrefix(exponent, "+") {
		n = min(n*10+int(c-'0'), 100_000)
	}
	return sign * n
}

// plainPath makes a JSON pointer fit for an answer: no control characters, no broken text, bounded. Its names are the
// sender's own, its values are never part of it.
func plainPath(pointer string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, pointer)
	if utf8.RuneCountInString(clean) > maxPath {
		clean = string([]rune(clean)[:maxPath]) + "…"
	}
	return clean
}
