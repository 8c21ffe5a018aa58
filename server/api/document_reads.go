package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"umpire/server/road"
)

// reads adds one path for each view.
func (d *documenter) reads(c *road.Catalogue) {
	for _, k := range c.Kinds {
		tag := "read " + k.Kind
		d.tag(tag, k.Summary)
		for _, v := range c.Views {
			if v.Kind == k.Kind {
				d.view(tag, v)
			}
		}
	}
}

func (d *documenter) view(tag string, v road.CatalogueView) {
	path := "/subjects/" + v.Kind + "/{ref}"
	if v.View != stateView {
		path += "/" + v.View
	}
	op := &huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: "read." + v.Kind + "." + v.View, Tags: []string{tag},
		Summary:     v.Summary,
		Description: "Everything in the answer comes from one snapshot. The ETag changes with the content, not with `position`.",
		Parameters:  []*huma.Param{parameter("ref"), parameter("if-none-match")},
		Responses: map[string]*huma.Response{
			"200": found("The view.", "View", map[string]string{"ETag": "Strong; changes with the content."}),
			"304": {Description: "Nothing has changed."},
			"400": problemResponse("A parameter is not as it must be.", newProblem(http.StatusBadRequest, reasonBadInput, "A parameter is not as it must be.")),
			"404": problemResponse("There is no such subject.", notThere()),
			"503": unavailableResponse(),
		},
	}
	if v.Paged {
		op.Parameters = append(op.Parameters, parameter("cursor"), parameter("limit"))
		op.Responses["200"] = found("One page of the view.", "Page", map[string]string{"ETag": "Strong; changes with the content."})
	}
	if !v.Open {
		op.Description += " Needs a sender that may read logs."
		op.Security = []map[string][]string{{"token": {}}}
		op.Responses["401"] = unauthorizedResponse()
		op.Responses["403"] = problemResponse("The sender may not read logs.", newProblem(http.StatusForbidden, reasonNotAllowed, "The sender may not read logs."))
	}
	d.api.AddOperation(op)
}

// server adds what is the same for every catalogue.
func (d *documenter) server() {
	d.tag("commands", "Was it saved? What is there?")
	d.tag("server", "Health and version.")
	d.api.AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: "/commands/{key}", OperationID: "was-it-saved", Tags: []string{"commands"},
		Summary:     "Was it saved?",
		Description: "Looks a command up under its key, from the same row that the command committed with. A sender sees its own keys only.",
		Parameters: []*huma.Param{
			{Name: "key", In: "path", Required: true, Description: "The command's key.", Schema: &huma.Schema{Type: "string"}},
			{Name: "actor", In: "query", Description: "The actor it was sent for, where there was one.", Schema: &huma.Schema{Type: "string"}},
		},
		Responses: map[string]*huma.Response{
			"200": found("It was decided; this is what became of it.", "Saved", nil),
			"401": unauthorizedResponse(),
			"404": problemResponse("Nothing is saved under this key (yet).", newProblem(http.StatusNotFound, "not_saved", "No command is saved under this key (yet): send it again, under the same key.")),
			"503": unavailableResponse(),
		},
		Security: []map[string][]string{{"token": {}}},
	})
	for _, simple := range []struct{ path, id, tag, summary, schema string }{
		{"/workflows", "workflows", "commands", "The catalogue: workflows, commands, kinds, views, reasons", "Listing"},
		{"/health", "health", "server", "The process is up", "Health"},
		{"/ready", "ready", "server", "Commands may be sent here: not stopping, and the database answers", "Health"},
		{"/version", "version", "server", "What runs here, and whether it is durable", "Version"},
	} {
		op := &huma.Operation{
			Method: http.MethodGet, Path: simple.path, OperationID: simple.id, Tags: []string{simple.tag}, Summary: simple.summary,
			Responses: map[string]*huma.Response{"200": found("As asked.", simple.schema, nil)},
		}
		if simple.path == "/ready" {
			op.Responses["503"] = problemResponse("Not now.", newProblem(http.StatusServiceUnavailable, "stopping", "This server is stopping."))
		}
		d.api.AddOperation(op)
	}
}

func found(description, schema string, headers map[string]string) *huma.Response {
	return &huma.Response{
		Description: description, Headers: documentedHeaders(headers),
		Content: map[string]*huma.MediaType{"application/json": {Schema: ref(schema)}},
	}
}

func problemResponse(description string, example *problem) *huma.Response {
	return &huma.Response{
		Description: description, Headers: documentedHeaders(nil),
		Content: map[string]*huma.MediaType{problemType: {
			Schema: ref("Problem"), Examples: map[string]*huma.Example{example.Code: {Value: example}},
		}},
	}
}

func unauthorizedResponse() *huma.Response {
	r := problemResponse("No sender has this token.", newProblem(http.StatusUnauthorized, reasonSenderUnknown, "The sender is unknown or disabled, or its token is no longer valid."))
	r.Headers = documentedHeaders(map[string]string{"WWW-Authenticate": "Asks for a bearer token."})
	return r
}

func unavailableResponse() *huma.Response {
	r := problemResponse("The database could not answer; ask again.", newProblem(http.StatusServiceUnavailable, "not_sent", "The database could not answer; ask again."))
	r.Headers = documentedHeaders(map[string]string{"Retry-After": "The least delay in whole seconds."})
	return r
}
