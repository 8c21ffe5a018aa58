package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"

	"umpire/server/road"
)

// DocumentOptions say what the OpenAPI document cannot take from the catalogue.
type DocumentOptions struct {
	Version string // of the API; "dev" when empty
}

// Document makes the OpenAPI 3.1 document of a catalogue, as JSON; no server is needed. The same catalogue gives the same
// bytes.
func Document(c *road.Catalogue, o DocumentOptions) ([]byte, error) {
	d := &documenter{
		api: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Umpire", Version: cmp.Or(o.Version, "dev"), Description: introduction()},
			Components: &huma.Components{
				Schemas:    huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
				Parameters: parameters(),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "The sender's token, which the operator gave out once."},
				},
			},
		},
	}
	for name, source := range sharedSchemas() {
		if err := d.component(name, source); err != nil {
			return nil, err
		}
	}
	for name, source := range feedSchemas() {
		if err := d.component(name, source); err != nil {
			return nil, err
		}
	}
	if err := d.commands(c); err != nil {
		return nil, err
	}
	d.reads(c)
	d.feeds()
	d.server()
	out, err := json.MarshalIndent(d.api, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	return append(out, '\n'), nil
}

// DocumentYAML is Document as YAML.
func DocumentYAML(c *road.Catalogue, o DocumentOptions) ([]byte, error) {
	asJSON, err := Document(c, o)
	if err != nil {
		return nil, err
	}
	return toYAML(asJSON)
}

func toYAML(asJSON []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := yaml.Convert(&out, bytes.NewReader(asJSON)); err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document as YAML: %w", err)
	}
	return out.Bytes(), nil
}

const schemaPrefix = "#/components/schemas/"

// documenter builds one document.
type documenter struct {
	api *huma.OpenAPI
}

func (d *documenter) tag(name, description string) {
	d.api.Tags = append(d.api.Tags, &huma.Tag{Name: name, Description: description})
}

// component adds a schema under a name.
func (d *documenter) component(name, source string) error {
	var parts map[string]any
	if err := unmarshal([]byte(source), &parts); err != nil {
		return fmt.Errorf("schema %s: %w", name, err)
	}
	d.api.Components.Schemas.Map()[name] = raw(parts)
	return nil
}

// raw puts a JSON Schema into huma's type as it is: that type has not all of its keywords.
func raw(parts map[string]any) *huma.Schema { return &huma.Schema{Extensions: parts} }

func ref(name string) *huma.Schema { return &huma.Schema{Ref: schemaPrefix + name} }

func oneOf(names ...string) *huma.Schema {
	if len(names) == 1 {
		return ref(names[0])
	}
	s := &huma.Schema{}
	for _, name := range names {
		s.OneOf = append(s.OneOf, ref(name))
	}
	return s
}

func parameter(name string) *huma.Param { return &huma.Param{Ref: "#/components/parameters/" + name} }

// unmarshal keeps numbers as they are written.
func unmarshal(source []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(source))
	decoder.UseNumber()
	return decoder.Decode(into)
}
