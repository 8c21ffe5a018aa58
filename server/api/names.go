package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxKey = 200
	maxRef = 128
)

// isName: workflows, codes, kinds and views, as the catalogue spells them.
func isName(text string) bool {
	if text == "" || len(text) > 32 || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}

// isRef: what a subject may be called (a uuid is of this form too).
func isRef(text string) bool {
	if text == "" || len(text) > maxRef {
		return false
	}
	for i, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == ':' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// plainRef writes a uuid in lower case, as the database does: a subject is found, and a new one refused, however a uuid
// is written. Other references are what they are.
func plainRef(ref string) string {
	if len(ref) != 36 {
		return ref
	}
	for i, c := range []byte(ref) {
		isHex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
		if isDash := i == 8 || i == 13 || i == 18 || i == 23; isDash != (c == '-') || !isDash && !isHex {
			return ref
		}
	}
	return strings.ToLower(ref)
}

// isKey: keys and actors: 1 to 200 characters, none of them a control or format character.
func isKey(text string) bool {
	if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxKey {
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
