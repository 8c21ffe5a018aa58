package api

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// The formats and the type integer are narrower here than in JSON Schema: whatever passes must be something that
// Postgres can cast. Otherwise a sender's mistake would look like a failure of ours and be sent again for ever.

var errFormat = errors.New("not of this format")

// validDate: a day of the years 1 to 9999. JSON Schema would let year 0 pass.
func validDate(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1 {
		return errFormat
	}
	return nil
}

// validDateTime: RFC 3339 in capitals, years 1 to 9999, at most nine digits of a second, offsets that Postgres knows.
func validDateTime(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if _, err := parseDateTime(text); err != nil {
		return errFormat
	}
	return nil
}

// validPrintable: what isKey takes, but for its length.
func validPrintable(value any) error {
	text, ok := value.(string)
	if ok && strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return errFormat
	}
	return nil
}

const maxOffset = 16 * 60 * 60

func parseDateTime(text string) (time.Time, error) {
	if len(text) > len("2006-01-02T15:04:05.999999999+00:00") {
		return time.Time{}, errFormat
	}
	var moment time.Time
	if err := moment.UnmarshalText([]byte(text)); err != nil { // stricter than time.Parse: no comma, no one-digit hour
		return time.Time{}, errFormat
	}
	if _, offset := moment.Zone(); moment.Year() < 1 || offset >= maxOffset || offset <= -maxOffset {
		return time.Time{}, errFormat
	}
	return moment, nil
}

// integerVocabulary adds to the type "integer" that the number is written as one and fits 64 bits: JSON Schema takes 1.0
// for an integer, a cast in SQL does not.
func integerVocabulary(anything *jsonschema.Schema) *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:    "umpire:///integers",
		Schema: anything,
		Compile: func(_ *jsonschema.CompilerContext, part map[string]any) (jsonschema.SchemaExt, error) {
			var types []any
			switch t := part["type"].(type) {
			case string:
				types = []any{t}
			case []any:
				types = t
			}
			if slices.Contains(types, any("integer")) && !slices.Contains(types, any("number")) {
				return plainInteger{}, nil
			}
			return nil, nil
		},
	}
}

type plainInteger struct{}

// Validate refuses fractions, exponents and what does not fit 64 bits.
func (plainInteger) Validate(ctx *jsonschema.ValidatorContext, value any) {
	number, ok := value.(json.Number)
	if !ok {
		return
	}
	if _, isInteger := new(big.Rat).SetString(number.String()); !isInteger || strings.ContainsAny(number.String(), ".eE") {
		ctx.AddError(notPlain{})
		return
	}
	if _, err := strconv.ParseInt(number.String(), 10, 64); err != nil {
		ctx.AddError(notPlain{})
	}
}

// notPlain is the error of plainInteger.
type notPlain struct{}

// KeywordPath names the keyword.
func (notPlain) KeywordPath() []string { return []string{"type"} }

// LocalizedString is never shown; sentences has the words.
func (notPlain) LocalizedString(*message.Printer) string { return "not a plain integer" }
