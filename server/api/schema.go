package api

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema checks JSON values and says in words of its own what is wrong: those of the library quote the value.
type schema struct {
	compiled *jsonschema.Schema
	parts    map[string]*jsonschema.Schema // by location: the allowed members are not part of the library's errors
}

// fault is one thing that is wrong with a value. Path is a JSON pointer, message a sentence; neither holds a value.
type fault struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// maxFaults bounds an answer: a list of 10,000 wrong items needs no 10,000 sentences.
const maxFaults = 20

// compileSchema compiles a JSON Schema (2020-12). Formats are asserted; integers are whole numbers that fit 64 bits.
func compileSchema(name string, source []byte) (*schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	anything, err := compileAnything()
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.AssertVocabs()
	compiler.RegisterFormat(&jsonschema.Format{Name: "date", Validate: validDate})
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: validDateTime})
	compiler.RegisterFormat(&jsonschema.Format{Name: "printable", Validate: validPrintable})
	compiler.RegisterVocabulary(integerVocabulary(anything))
	compiler.UseLoader(noLoader{})

	location := "umpire:///" + name + ".json"
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s := &schema{compiled: compiled, parts: map[string]*jsonschema.Schema{}}
	s.collect(compiled)
	return s, nil
}

func compileAnything() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("umpire:///anything.json", true); err != nil {
		return nil, err
	}
	return compiler.Compile("umpire:///anything.json")
}

// noLoader refuses references to anything outside: a schema of the catalogue never makes the server read a file or a page.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) {
	return nil, fmt.Errorf("a schema refers to another document")
}

// check returns what is wrong with the value, in a fixed order, at most maxFaults. Base goes before each path.
func (s *schema) check(value any, base string) []fault {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	broken, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []fault{{Path: base, Message: "This is not what the command asks for."}}
	}
	return s.faults(broken, base)
}

// collect remembers each part of the schema by its location.
func (s *schema) collect(part *jsonschema.Schema) {
	if part == nil || s.parts[part.Location] != nil {
		return
	}
	s.parts[part.Location] = part
	for _, sub := range []*jsonschema.Schema{
		part.Ref, part.Not, part.If, part.Then, part.Else, part.PropertyNames, part.Contains, part.Items2020,
		part.UnevaluatedItems, part.UnevaluatedProperties, part.ContentSchema,
	} {
		s.collect(sub)
	}
	for _, list := range [][]*jsonschema.Schema{part.AllOf, part.AnyOf, part.OneOf, part.PrefixItems} {
		for _, sub := range list {
			s.collect(sub)
		}
	}
	for _, sub := range part.Properties {
		s.collect(sub)
	}
	for _, sub := range part.PatternProperties {
		s.collect(sub)
	}
	for _, sub := range part.DependentSchemas {
		s.collect(sub)
	}
	if sub, ok := part.AdditionalProperties.(*jsonschema.Schema); ok {
		s.collect(sub)
	}
}

// pointer makes a JSON pointer (RFC 6901).
func pointer(base string, steps ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	b.WriteString(base)
	for _, step := range steps {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}
