package api

import (
	"encoding/json"
	"strings"
	"testing"
)

func testSchema(t *testing.T, code string) *schema {
	t.Helper()
	for _, cmd := range testCatalogue().Commands {
		if cmd.Code == code {
			s, err := compileSchema(code, cmd.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no command %s", code)
	return nil
}

func decode(text string) (any, error) {
	var value any
	err := unmarshal([]byte(text), &value)
	return value, err
}

// Each sentence names what is allowed.
func TestSentences(t *testing.T) {
	s := testSchema(t, "move")
	for _, c := range []struct{ name, input, path, message string }{
		{"TL-04 absent", `{"from":"e2"}`, "/to", "This is required."},
		{"TL-04 null", `{"from":null,"to":"e4"}`, "/from", "Must be a string."},
		{"TL-04 null where allowed", `{"from":"e2","to":"e4","note":null}`, "", ""},
		{"TL-04 zero", `{"from":"e2","to":"e4","ms":0}`, "", ""},
		{"TL-04 empty", `{"from":"e2","to":"e4","note":""}`, "/note", "Must not be empty."},
		{"TL-04 text for a number", `{"from":"e2","to":"e4","ms":"0"}`, "/ms", "Must be a whole number."},
		{"pattern", `{"from":"z9","to":"e4"}`, "/from", "Must match the pattern ^[a-h][1-8]$ ."},
		{"fraction", `{"from":"e2","to":"e4","ms":1.5}`, "/ms", "Must be a whole number."},
		{"1.0 is no integer for SQL", `{"from":"e2","to":"e4","ms":1.0}`, "/ms", "Must be a whole number, written without fraction or exponent."},
		{"1e2 is no integer for SQL", `{"from":"e2","to":"e4","ms":1e2}`, "/ms", "Must be a whole number, written without fraction or exponent."},
		{"beyond 64 bits", `{"from":"e2","to":"e4","list":[9223372036854775808]}`, "/list/0", "Must be a whole number, written without fraction or exponent."},
		{"least", `{"from":"e2","to":"e4","ms":-1}`, "/ms", "Must be at least 0."},
		{"most", `{"from":"e2","to":"e4","ms":600001}`, "/ms", "Must be at most 600000."},
		{"long", `{"from":"e2","to":"e4","note":"` + strings.Repeat("é", 21) + `"}`, "/note", "Must have at most 20 characters."},
		{"characters are counted, not bytes", `{"from":"e2","to":"e4","note":"` + strings.Repeat("é", 20) + `"}`, "", ""},
		{"enum", `{"from":"e2","to":"e4","kind":"x"}`, "/kind", `Must be "normal" or "castle".`},
		{"step", `{"from":"e2","to":"e4","share":0.7}`, "/share", "Must be a multiple of 0.5."},
		{"date", `{"from":"e2","to":"e4","on":"2022-02-30"}`, "/on", "Must be a date such as 2022-12-18."},
		{"year 0", `{"from":"e2","to":"e4","on":"0000-01-01"}`, "/on", "Must be a date such as 2022-12-18."},
		{"time", `{"from":"e2","to":"e4","on":"2022-01-01","at":"2022-12-18"}`, "/at", "Must be a date and time with its offset, such as 2022-12-18T15:00:00Z (RFC 3339)."},
		{"time without offset", `{"from":"e2","to":"e4","on":"2022-01-01","at":"2022-12-18T15:00:00"}`, "/at", "Must be a date and time with its offset, such as 2022-12-18T15:00:00Z (RFC 3339)."},
		{"time with an offset too far", `{"from":"e2","to":"e4","on":"2022-01-01","at":"2022-12-18T15:00:00-16:00"}`, "/at", "Must be a date and time with its offset, such as 2022-12-18T15:00:00Z (RFC 3339)."},
		{"time that is fine", `{"from":"e2","to":"e4","on":"2022-01-01","at":"2022-12-18T15:00:00.123456789-15:59"}`, "", ""},
		{"together", `{"from":"e2","to":"e4","at":"2022-12-18T15:00:00Z"}`, "/on", "This is required together with at."},
		{"uuid", `{"from":"e2","to":"e4","id":"x"}`, "/id", "Must be a uuid."},
		{"no uuid", `{"from":"e2","to":"e4","name":"8f14e45f-ceea-467f-a0d5-2f0b1c9d3e77"}`, "/name", "Must not be a uuid."},
		{"items", `{"from":"e2","to":"e4","list":[1,2,3,4]}`, "/list", "Must have at most 3 items."},
		{"twice", `{"from":"e2","to":"e4","list":[1,1]}`, "/list", "Must not have the same item twice."},
		{"item", `{"from":"e2","to":"e4","list":[1,"a"]}`, "/list/1", "Must be a whole number."},
		{"flag", `{"from":"e2","to":"e4","flag":0}`, "/flag", "Must be true or false."},
		{"anyOf", `{"from":"e2","to":"e4","either":1}`, "/either", "Has none of the forms that are allowed here."},
		{"const", `{"from":"e2","to":"e4","map":{"a":2}}`, "/map/a", "Must be 1."},
		{"name", `{"from":"e2","to":"e4","map":{"A":1}}`, "", "An object in here has a member whose name is not allowed. A name: Must match the pattern ^[a-z]+$ ."},
		{"member", `{"from":"e2","to":"e4","When":1}`, "", "Has a member that is not allowed. Allowed: at, either, flag, free, from, id, kind, list, map, ms, name, note, on, share, to."},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, err := decode(c.input)
			if err != nil {
				t.Fatal(err)
			}
			got := s.check(value, "/input")
			if c.message == "" {
				if len(got) != 0 {
					t.Fatalf("refused: %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Path != "/input"+c.path || got[0].Message != c.message {
				t.Errorf("got %+v\nwant %s %s", got, c.path, c.message)
			}
		})
	}
}

func TestFaultsAreSortedAndBounded(t *testing.T) {
	s, err := compileSchema("list", []byte(`{"type":"array","items":{"type":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	value, err := decode("[" + strings.Repeat("1,", 99) + "1]")
	if err != nil {
		t.Fatal(err)
	}
	first := s.check(value, "")
	if len(first) != maxFaults {
		t.Fatalf("%d faults", len(first))
	}
	for range 10 {
		a, _ := json.Marshal(first)
		b, _ := json.Marshal(s.check(value, ""))
		if string(a) != string(b) {
			t.Fatal("the order changes")
		}
	}
}

func TestSchemaNeverLoadsAnything(t *testing.T) {
	for _, target := range []string{"file:///etc/passwd", "http://127.0.0.1/x.json", "other.json"} {
		if _, err := compileSchema("x", []byte(`{"$ref":"`+target+`"}`)); err == nil {
			t.Errorf("%s was loaded", target)
		}
	}
}
