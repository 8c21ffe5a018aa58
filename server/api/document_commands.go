package api

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/road"
)

// commands adds one path for each workflow and kind, with one schema per command.
func (d *documenter) commands(c *road.Catalogue) error {
	for _, w := range c.Workflows {
		d.tag(w.Workflow, w.Summary)
		for _, k := range c.Kinds {
			var group []road.CatalogueCommand
			for _, cmd := range c.Commands {
				if cmd.Workflow == w.Workflow && cmd.Kind == k.Kind {
					group = append(group, cmd)
				}
			}
			if len(group) == 0 {
				continue
			}
			if err := d.commandPath(group); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *documenter) commandPath(group []road.CatalogueCommand) error {
	workflow, kind := group[0].Workflow, group[0].Kind
	choice := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: "code", Mapping: map[string]string{}}}
	examples := map[string]*huma.Example{}
	var codes []string
	var about strings.Builder
	fmt.Fprintf(&about, "Sends a command of the workflow `%s` to the subject of kind `%s` that the path names. `code` says which:\n", workflow, kind)

	for _, cmd := range group {
		name := cmd.Workflow + "." + cmd.Code
		described, err := describe(cmd)
		if err != nil {
			return err
		}
		if err := d.commandSchema(cmd, name, described); err != nil {
			return err
		}
		codes = append(codes, cmd.Code)
		choice.OneOf = append(choice.OneOf, ref(name))
		choice.Discriminator.Mapping[cmd.Code] = schemaPrefix + name
		request, err := exampleRequest(cmd)
		if err != nil {
			return err
		}
		examples[cmd.Code] = &huma.Example{Summary: cmd.Summary, Value: request}
		fmt.Fprintf(&about, "\n### `%s`\n\n%s\n", cmd.Code, described)
	}

	responses, err := commandResponses(group[0])
	if err != nil {
		return err
	}
	params := []*huma.Param{parameter("ref"), parameter("idempotency-key")}
	if slices.ContainsFunc(group, func(cmd road.CatalogueCommand) bool { return cmd.Level == levelRevision }) {
		params = append(params, parameter("if-match"))
		conflict := *responses["409"]
		conflict.Description = "Conflict of a command that states a revision: it is not the present one; nothing was done."
		responses["412"] = &conflict
	}
	d.api.AddOperation(&huma.Operation{
		Method: "POST", Path: "/workflows/" + workflow + "/subjects/" + kind + "/{ref}/commands",
		OperationID: workflow + "." + kind + ".command",
		Tags:        []string{workflow},
		Summary:     "Commands: " + strings.Join(codes, ", "),
		Description: about.String(),
		Parameters:  params,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: choice, Examples: examples},
		}},
		Responses: responses,
		Security:  []map[string][]string{{"token": {}}},
	})
	return nil
}

// describe says what a command does, which versions it asks for, how long its key lives and what its rules may refuse.
func describe(cmd road.CatalogueCommand) (string, error) {
	refusals, err := refusalsOf(cmd)
	if err != nil {
		return "", err
	}
	levels := map[string]string{
		"none":     "Level `none`: no version is asked for.",
		"play":     "Level `play`: state the last play you saw in `saw.play`; null when you saw none.",
		"rows":     "Level `rows`: state in `saw.rows` the `changed_seq` you saw of each row it changes; null for one you saw none of.",
		"revision": "Level `revision`: state in `saw.revision`, or in the header `If-Match`, the revision (ETag) of the state you saw; a conflict is 412.",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s Its key is remembered for %s.", cmd.Summary, levels[cmd.Level], span(cmd.KeyTTL))
	if cmd.Creates {
		b.WriteString(" It creates the subject under the reference in the path.")
	}
	if len(refusals) > 0 {
		b.WriteString("\n\nMay be refused:\n")
		for _, code := range slices.Sorted(maps.Keys(refusals)) {
			fmt.Fprintf(&b, "\n- `%s`: %s", code, refusals[code])
		}
	}
	return b.String(), nil
}

func refusalsOf(cmd road.CatalogueCommand) (map[string]string, error) {
	refusals := map[string]string{}
	if err := unmarshal(cmd.Refusals, &refusals); err != nil {
		return nil, fmt.Errorf("refusals of %s.%s: %w", cmd.Workflow, cmd.Code, err)
	}
	return refusals, nil
}

func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d%day == 0 && d > day:
		return strconv.Itoa(int(d/day)) + " days"
	case d == day:
		return "a day"
	}
	return d.String()
}

// commandSchema adds the components of a command: its input as the catalogue has it, and its whole body.
func (d *documenter) commandSchema(cmd road.CatalogueCommand, name, described string) error {
	var given map[string]any
	if err := unmarshal(cmd.InputSchema, &given); err != nil {
		return fmt.Errorf("input schema of %s: %w", name, err)
	}
	inputName := name + ".input"
	delete(given, "$schema")
	delete(given, "$id")
	d.api.Components.Schemas.Map()[inputName] = raw(rebase(given, schemaPrefix+inputName).(map[string]any))

	saw := map[string]string{"none": "Saw", "play": "SawPlay", "rows": "SawRows", "revision": "SawRevision"}[cmd.Level]
	required := []any{"code", "input"}
	if cmd.Level != "none" {
		required = append(required, "saw")
	}
	at := func(component string) map[string]any { return map[string]any{"$ref": schemaPrefix + component} }
	d.api.Components.Schemas.Map()[name] = raw(map[string]any{
		"type": "object", "title": cmd.Code, "description": described, "additionalProperties": false, "required": required,
		"properties": map[string]any{
			"key": at("Key"), "code": map[string]any{"const": cmd.Code}, "input": at(inputName),
			"actor": at("Actor"), "saw": at(saw), "sent_at": at("SentAt"),
		},
	})
	return nil
}

// rebase makes the references of a schema ("#/$defs/x") point into the component that the schema becomes.
func rebase(part any, base string) any {
	switch v := part.(type) {
	case map[string]any:
		for name, member := range v {
			switch target, isText := member.(string); {
			case name == "$ref" && isText && strings.HasPrefix(target, "#"):
				v[name] = base + strings.TrimPrefix(target, "#")
			case name == "default", name == "const", name == "enum", name == "examples":
				// values, not schemas
			default:
				v[name] = rebase(member, base)
			}
		}
	case []any:
		for i := range v {
			v[i] = rebase(v[i], base)
		}
	}
	return part
}
