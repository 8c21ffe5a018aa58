package api

import (
	"encoding/json"
	"fmt"
	"time"

	"umpire/server/road"
)

// compiled is what the API makes of a catalogue, once: what it checks commands with, and the documents that describe it.
type compiled struct {
	workflows map[string]bool
	kinds     map[string]bool
	inputs    map[commandName]input
	views     map[viewName]road.CatalogueView
	listing   document
	openJSON  document
	openYAML  document
}

type commandName struct{ workflow, kind, code string }

type viewName struct{ kind, view string }

type input struct {
	creates bool
	level   string
	schema  *schema
}

func compile(c *road.Catalogue, about DocumentOptions) (*compiled, error) {
	made := &compiled{
		workflows: map[string]bool{}, kinds: map[string]bool{}, inputs: map[commandName]input{}, views: map[viewName]road.CatalogueView{},
	}
	for _, k := range c.Kinds {
		made.kinds[k.Kind] = true
	}
	for _, w := range c.Workflows {
		made.workflows[w.Workflow] = true
	}
	for _, v := range c.Views {
		made.views[viewName{v.Kind, v.View}] = v
	}
	for _, cmd := range c.Commands {
		s, err := compileSchema(cmd.Workflow+"."+cmd.Code, cmd.InputSchema)
		if err != nil {
			return nil, err
		}
		made.inputs[commandName{cmd.Workflow, cmd.Kind, cmd.Code}] = input{creates: cmd.Creates, level: cmd.Level, schema: s}
	}

	list, err := listing(c)
	if err != nil {
		return nil, err
	}
	made.listing = newDocument("application/json", list)
	asJSON, err := Document(c, about)
	if err != nil {
		return nil, err
	}
	made.openJSON = newDocument("application/openapi+json", asJSON)
	asYAML, err := toYAML(asJSON)
	if err != nil {
		return nil, err
	}
	made.openYAML = newDocument("application/openapi+yaml", asYAML)
	return made, nil
}

// listing is the catalogue as GET /workflows gives it.
func listing(c *road.Catalogue) ([]byte, error) {
	type command struct {
		Code        string          `json:"code"`
		Kind        string          `json:"kind"`
		Summary     string          `json:"summary"`
		Level       string          `json:"level"`
		Creates     bool            `json:"creates"`
		KeyTTL      int64           `json:"key_ttl_seconds"`
		LogInput    string          `json:"log_input"`
		InputSchema json.RawMessage `json:"input_schema"`
		Example     json.RawMessage `json:"example"`
		Refusals    json.RawMessage `json:"refusals"`
	}
	type workflow struct {
		Workflow string    `json:"workflow"`
		Summary  string    `json:"summary"`
		Commands []command `json:"commands"`
	}
	type view struct {
		View    string `json:"view"`
		Summary string `json:"summary"`
		Paged   bool   `json:"paged"`
		Open    bool   `json:"open"`
	}
	type kind struct {
		Kind    string `json:"kind"`
		Summary string `json:"summary"`
		Views   []view `json:"views"`
	}
	type engineReason struct {
		Code    string       `json:"code"`
		Outcome road.Outcome `json:"outcome"`
		Message string       `json:"message"`
	}
	var all struct {
		Workflows []workflow     `json:"workflows"`
		Kinds     []kind         `json:"kinds"`
		Reasons   []engineReason `json:"reasons"`
	}
	for _, w := range c.Workflows {
		listed := workflow{Workflow: w.Workflow, Summary: w.Summary, Commands: []command{}}
		for _, cmd := range c.Commands {
			if cmd.Workflow == w.Workflow {
				listed.Commands = append(listed.Commands, command{
					Code: cmd.Code, Kind: cmd.Kind, Summary: cmd.Summary, Level: cmd.Level, Creates: cmd.Creates,
					KeyTTL: int64(cmd.KeyTTL / time.Second), LogInput: cmd.LogInput,
					InputSchema: cmd.InputSchema, Example: cmd.Example, Refusals: cmd.Refusals,
				})
			}
		}
		all.Workflows = append(all.Workflows, listed)
	}
	for _, k := range c.Kinds {
		listed := kind{Kind: k.Kind, Summary: k.Summary, Views: []view{}}
		for _, v := range c.Views {
			if v.Kind == k.Kind {
				listed.Views = append(listed.Views, view{View: v.View, Summary: v.Summary, Paged: v.Paged, Open: v.Open})
			}
		}
		all.Kinds = append(all.Kinds, listed)
	}
	for _, r := range ownReasons() {
		all.Reasons = append(all.Reasons, engineReason{Code: r.Code, Outcome: r.Outcome, Message: r.Message})
	}
	list, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("listing the catalogue: %w", err)
	}
	return list, nil
}
