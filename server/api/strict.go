package api

import (
	"bytes"
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

// readStrictly checks that the body is exactly one JSON value that means the same to everybody who reads it. The decoder
// itself (RFC 7493) refuses broken UTF-8, lone surrogates, a member that comes twice and whatever is not JSON. Added
// here: NUL, which jsonb cannot hold; members that differ only in case, which readers take for one another; depth; and
// numbers whose written-out form is long, because numeric writes 1e9999 out.
func readStrictly(body []byte) *unreadable {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body))
	var names []map[string]struct{} // one per open object, nil per open array

	for {
		token, err := decoder.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) && decoder.InputOffset() == 0 {
				return &unreadable{message: "The body is empty."}
			}
			return syntax(err)
		}
		// Of an open object the decoder counts names and values: odd right after a name.
		depth := decoder.StackDepth()
		isName := false
		if depth > 0 {
			kind, length := decoder.StackIndex(depth)
			isName = kind == jsontext.KindBeginObject && length%2 == 1
		}

		switch token.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			if depth > maxDepth {
				return at(decoder, "Objects and arrays are nested more than 64 deep.")
			}
			if token.Kind() == jsontext.KindBeginObject {
				names = append(names, map[string]struct{}{})
			} else {
				names = append(names, nil)
			}
		case jsontext.KindEndObject, jsontext.KindEndArray:
			names = names[:len(names)-1]
		case jsontext.KindString:
			text := token.String()
			if strings.IndexByte(text, 0) >= 0 {
				return at(decoder, "A string holds the character NUL (U+0000), which cannot be stored.")
			}
			if isName {
				folded := fold(text)
				if _, twice := names[len(names)-1][folded]; twice {
					return at(decoder, "A member comes twice in one object, in another case.")
				}
				names[len(names)-1][folded] = struct{}{}
			}
		case jsontext.KindNumber:
			if digits(token.String()) > maxDigits {
				return at(decoder, "A number has more than 40 digits when it is written out in full.")
			}
		}

		if depth == 0 {
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return &unreadable{message: "The body holds more than one JSON value."}
			}
			return nil
		}
	}
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

// fold maps names that differ only in case to the same text.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
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
