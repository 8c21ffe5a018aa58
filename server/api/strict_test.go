package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadStrictly(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, c := range []struct {
		name, body, path, message string // message: a part of it; empty = the body is fine
	}{
		{"object", `{"a":[1,2.50,-0,1e10,"x",true,false,null,{}]}`, "", ""},
		{"blanks", " {\n\t\"a\" : 1 }\r\n ", "", ""},
		{"surrogate pair", `{"a":"\ud83d\ude00"}`, "", ""},
		{"replacement character", `{"a":"\ufffd` + "\ufffd" + `"}`, "", ""},
		{"PL-05 backslash u0000 as text", `{"a":"\\u0000"}`, "", ""},
		{"ID-12 composed and decomposed are two names", "{\"\u00e9\":1,\"e\u0301\":2}", "", ""},
		{"same name in two objects", `[{"a":1},{"a":2},{"b":{"a":1},"a":2}]`, "", ""},
		{"depth 64", nested(64), "", ""},
		{"40 digits", `[1234567890123456789012345678901234567890]`, "", ""},
		{"1e39", `[1e39, 1E+39, -1e-39]`, "", ""},

		{"nothing", "", "", "empty"},
		{"blanks only", " \n", "", "empty"},
		{"two values", `{} {}`, "", "more than one"},
		{"rubbish after", `{}x`, "", "more than one"},
		{"cut", `{"a":{"b":1`, "/a", "ends in the middle"},
		{"comma", `{"a":1,}`, "", "not JSON"},
		{"comment", `{"a":1/**/}`, "", "not JSON"},
		{"single quotes", `{'a':1}`, "", "not JSON"},
		{"NaN", `{"a":NaN}`, "/a", "not JSON"},
		{"leading zero", `{"a":01}`, "", "not JSON"},
		{"byte order mark", "\ufeff{}", "", "not JSON"},
		{"control character", "{\"a\":\"\x01\"}", "/a", "not JSON"},
		{"member twice", `{"a":1,"a":2}`, "/a", "comes twice"},
		{"member twice through an escape", `{"a":1,"\u0061":2}`, "/a", "comes twice"},
		{"member twice, deep", `{"x":[{"a":1,"a":2}]}`, "/x/0/a", "comes twice"},
		{"member in another case", `{"key":1,"Key":2}`, "/Key", "another case"},
		{"member in another case, deep", `{"x":[0,{"a":{},"A":2}]}`, "/x/1/A", "another case"},
		{"member in another case, not ASCII", "{\"\u00fc\":1,\"\u00dc\":2}", "/\u00dc", "another case"},
		{"member in another case, kelvin sign", "{\"k\":1,\"\u212a\":2}", "/\u212a", "another case"},
		{"PL-05 NUL escape", `{"a":{"b":"x\u0000y"}}`, "/a/b", "NUL"},
		{"PL-05 NUL escape in a name", `{"a\u0000b":1}`, "/a?b", "NUL"},
		{"PL-05 NUL byte", "{\"a\":\"\x00\"}", "/a", "not JSON"},
		{"ID-12 lone high surrogate", `{"a":"\ud800"}`, "/a", "Unicode"},
		{"ID-12 other lone surrogate", `{"a":"\ud801"}`, "/a", "Unicode"},
		{"ID-12 lone low surrogate", `{"a":"\udc00x"}`, "/a", "Unicode"},
		{"ID-12 surrogates the wrong way round", `{"a":"\udc00\ud800"}`, "/a", "Unicode"},
		{"ID-12 raw byte 0xff", "{\"a\":\"\xff\"}", "/a", "Unicode"},
		{"ID-12 overlong", "{\"a\":\"\xc0\x80\"}", "/a", "Unicode"},
		{"ID-12 surrogate as bytes", "{\"a\":\"\xed\xa0\x80\"}", "/a", "Unicode"},
		{"broken name", "{\"\xff\":1}", "", "Unicode"},
		{"depth 65", nested(65), "", "64 deep"},
		{"arrays 65 deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), "", "64 deep"},
		{"ID-11 41 digits", `{"a":[0,12345678901234567890123456789012345678901]}`, "/a/1", "40 digits"},
		{"ID-11 1e40", `{"a":1e40}`, "/a", "40 digits"},
		{"ID-11 1e-40", `{"a":1e-40}`, "/a", "40 digits"},
		{"ID-11 1e131071", `{"a":1e131071}`, "/a", "40 digits"},
		{"ID-11 0e99999999999999999999", `{"a":0e99999999999999999999}`, "/a", "40 digits"},
		{"ID-11 1e-99999999999999999999", `{"a":1e-99999999999999999999}`, "/a", "40 digits"},
		{"ID-11 many zeros in the exponent", `{"a":1e` + strings.Repeat("0", 60) + `}`, "/a", "40 digits"},
		{"ID-11 many zeros", `{"a":0.` + strings.Repeat("0", 60) + `}`, "/a", "40 digits"},
		{"ID-11 zeros taken back", `{"a":1` + strings.Repeat("0", 60) + `e-60}`, "/a", "40 digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := readStrictly([]byte(c.body))
			if c.message == "" {
				if got != nil {
					t.Fatalf("refused: %s at %q", got.message, got.path)
				}
				return
			}
			if got == nil || !strings.Contains(got.message, c.message) {
				t.Fatalf("got %+v, want a message with %q", got, c.message)
			}
			if c.path != "" && got.path != c.path {
				t.Errorf("path %q, want %q", got.path, c.path)
			}
		})
	}
}

// What passes is JSON for Go's own decoder too, holds no NUL and no broken text, and is not deeper or longer in its
// numbers than promised.
func FuzzReadStrictly(f *testing.F) {
	for _, seed := range []string{
		`{"key":"k","code":"goal","input":{"minute":23}}`, `{"a":"\u0000"}`, `{"a":"\ud800"}`, `{"a":1,"A":2}`, `[1e40]`,
		`[[[]]]`, "\xff", `"\\u0000"`, `{"a":1}{"b":2}`, `-0.0e-0`, "{\"\u017f\":1,\"s\":2}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read, found := readStrictly(body)
		if found != nil {
			if found.message == "" || !utf8.ValidString(found.path) || utf8.RuneCountInString(found.path) > maxPath+1 {
				t.Fatalf("a refusal that cannot be shown: %+v", found)
			}
			return
		}
		if !utf8.Valid(body) {
			t.Fatal("broken UTF-8 passed")
		}
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("Go's decoder refuses it: %v", err)
		}
		walk(t, value, 0)

		// What was read is what Go's decoder reads, as a whole and member by member.
		if !reflect.DeepEqual(read.value, value) {
			t.Fatalf("read %#v, want %#v", read.value, value)
		}
		object, _ := value.(map[string]any)
		if len(read.members) != len(object) {
			t.Fatalf("%d members, want %d", len(read.members), len(object))
		}
		for name, member := range read.members {
			var again any
			if err := unmarshal(member, &again); err != nil || !reflect.DeepEqual(again, object[name]) || len(bytes.TrimSpace(member)) != len(member) {
				t.Fatalf("member %q is %q: %v", name, member, err)
			}
		}
	})
}

func walk(t *testing.T, value any, depth int) {
	switch v := value.(type) {
	case map[string]any:
		folded := map[string]bool{}
		for name, member := range v {
			walk(t, name, depth)
			walk(t, member, depth+1)
			if folded[strings.ToLower(name)] {
				t.Fatalf("two names that differ in case passed: %q", name)
			}
			folded[strings.ToLower(name)] = true
		}
	case []any:
		for _, item := range v {
			walk(t, item, depth+1)
		}
	case string:
		if strings.ContainsRune(v, 0) || !utf8.ValidString(v) {
			t.Fatalf("a string that cannot be stored passed: %q", v)
		}
	case json.Number:
		if f, err := strconv.ParseFloat(v.String(), 64); len(v) > 2*maxDigits || err != nil || f > 1e40 || f < -1e40 {
			t.Fatalf("a long number passed: %s", v)
		}
	}
	if depth > maxDepth {
		t.Fatalf("depth %d passed", depth)
	}
}
