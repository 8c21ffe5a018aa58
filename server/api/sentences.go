package api

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// faults puts the library's tree of errors into a flat list. A combination (anyOf, oneOf, not) is one fault: what is
// wrong with each of its arms helps nobody.
func (s *schema) faults(broken *jsonschema.ValidationError, base string) []fault {
	found := map[fault]struct{}{}
	s.gather(broken, base, found)
	list := make([]fault, 0, len(found))
	for f := range found {
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Path != list[j].Path {
			return list[i].Path < list[j].Path
		}
		return list[i].Message < list[j].Message
	})
	if len(list) > maxFaults {
		list = list[:maxFaults]
	}
	return list
}

func (s *schema) gather(broken *jsonschema.ValidationError, base string, found map[fault]struct{}) {
	path := pointer(base, broken.InstanceLocation...)
	add := func(path, message string) { found[fault{Path: plainPath(path), Message: message}] = struct{}{} }

	switch k := broken.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range broken.Causes {
			s.gather(cause, base, found)
		}
	case *kind.Required:
		for _, missing := range k.Missing {
			add(pointer(path, missing), "This is required.")
		}
	case *kind.DependentRequired:
		for _, missing := range k.Missing {
			add(pointer(path, missing), fmt.Sprintf("This is required together with %s.", k.Prop))
		}
	case *kind.AdditionalProperties:
		add(path, s.allowedMembers(broken.SchemaURL))
	case *kind.PropertyNames:
		// The library's location of this one is not its own copy and may have been overwritten.
		add(base, s.sentence(broken))
	default:
		add(path, s.sentence(broken))
	}
}

// sentence says what is allowed, out of the schema, and never what was found.
func (s *schema) sentence(broken *jsonschema.ValidationError) string {
	switch k := broken.ErrorKind.(type) {
	case *kind.Type:
		return "Must be " + either(names(k.Want)) + "."
	case notPlain:
		return "Must be a whole number, written without fraction or exponent."
	case *kind.Enum:
		return "Must be " + either(literals(k.Want)) + "."
	case *kind.Const:
		return "Must be " + literal(k.Want) + "."
	case *kind.Format:
		return "Must be " + formatName(k.Want) + "."
	case *kind.Pattern:
		return "Must match the pattern " + k.Want + " ."
	case *kind.MinLength:
		if k.Want == 1 {
			return "Must not be empty."
		}
		return fmt.Sprintf("Must have at least %d characters.", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("Must have at most %d characters.", k.Want)
	case *kind.Minimum:
		return "Must be at least " + rational(k.Want) + "."
	case *kind.Maximum:
		return "Must be at most " + rational(k.Want) + "."
	case *kind.ExclusiveMinimum:
		return "Must be more than " + rational(k.Want) + "."
	case *kind.ExclusiveMaximum:
		return "Must be less than " + rational(k.Want) + "."
	case *kind.MultipleOf:
		return "Must be a multiple of " + rational(k.Want) + "."
	case *kind.MinItems:
		return fmt.Sprintf("Must have at least %d items.", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("Must have at most %d items.", k.Want)
	case *kind.AdditionalItems:
		return "Has items too many."
	case *kind.UniqueItems:
		return "Must not have the same item twice."
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		return "Does not have the items that it needs."
	case *kind.MinProperties:
		return fmt.Sprintf("Must have at least %d members.", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("Must have at most %d members.", k.Want)
	case *kind.PropertyNames:
		if len(broken.Causes) > 0 {
			return "An object in here has a member whose name is not allowed. A name: " + s.sentence(broken.Causes[0])
		}
		return "An object in here has a member whose name is not allowed."
	case *kind.AnyOf, *kind.OneOf:
		return "Has none of the forms that are allowed here."
	case *kind.Not:
		return s.notAllowed(broken.SchemaURL)
	case *kind.FalseSchema:
		return "Is not allowed here."
	case *kind.Group, *kind.Reference:
		if len(broken.Causes) > 0 {
			return s.sentence(broken.Causes[0])
		}
	}
	return "Is not what the command asks for."
}

// allowedMembers lists the members of the object that had others.
func (s *schema) allowedMembers(location string) string {
	part := s.parts[location]
	if part == nil || len(part.Properties) == 0 {
		return "Has a member that is not allowed."
	}
	allowed := make([]string, 0, len(part.Properties))
	for name := range part.Properties {
		allowed = append(allowed, name)
	}
	slices.Sort(allowed)
	return "Has a member that is not allowed. Allowed: " + strings.Join(allowed, ", ") + "."
}

// notAllowed says what "not" excludes, where that is one simple thing.
func (s *schema) notAllowed(location string) string {
	if part := s.parts[location]; part != nil && part.Not != nil {
		switch {
		case part.Not.Format != nil:
			return "Must not be " + formatName(part.Not.Format.Name) + "."
		case part.Not.Enum != nil:
			return "Must not be " + either(literals(part.Not.Enum.Values)) + "."
		case part.Not.Const != nil:
			return "Must not be " + literal(*part.Not.Const) + "."
		}
	}
	return "Has a form that is not allowed here."
}

func names(types []string) []string {
	words := map[string]string{
		"null": "null", "boolean": "true or false", "number": "a number", "integer": "a whole number",
		"string": "a string", "array": "an array", "object": "an object",
	}
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = words[t]
	}
	return list
}

func formatName(format string) string {
	switch format {
	case "date":
		return "a date such as 2022-12-18"
	case "date-time":
		return "a date and time with its offset, such as 2022-12-18T15:00:00Z (RFC 3339)"
	case "uuid":
		return "a uuid"
	case "printable":
		return "of printable characters"
	}
	return "of the format " + format
}

func literals(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = literal(v)
	}
	return list
}

// literal writes a value of the schema as JSON.
func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "another value"
	}
	return string(text)
}

func either(list []string) string {
	switch len(list) {
	case 0:
		return "something else"
	case 1:
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func rational(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(20), "0")
}
