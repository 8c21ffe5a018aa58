package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"umpire/server/road"
)

func TestDocumentIsStable(t *testing.T) {
	first, err := Document(testCatalogue(), DocumentOptions{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := DocumentYAML(testCatalogue(), DocumentOptions{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := Document(testCatalogue(), DocumentOptions{Version: "1.2.3"})
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("not the same bytes: %v", err)
		}
		againYAML, err := DocumentYAML(testCatalogue(), DocumentOptions{Version: "1.2.3"})
		if err != nil || !bytes.Equal(asYAML, againYAML) {
			t.Fatalf("not the same bytes: %v", err)
		}
	}
}

func TestDocumentIsValid(t *testing.T) { assertDocument(t, testCatalogue()) }

// assertDocument compiles every schema of the document and holds every example against its schema.
func assertDocument(t *testing.T, c *road.Catalogue) {
	t.Helper()
	content, err := Document(c, DocumentOptions{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	const location = "umpire:///openapi.json"
	if err := compiler.AddResource(location, document); err != nil {
		t.Fatal(err)
	}
	compile := func(at string) *jsonschema.Schema {
		t.Helper()
		s, err := compiler.Compile(location + "#" + at)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		return s
	}
	root := document.(map[string]any)
	if root["openapi"] != "3.1.0" {
		t.Errorf("openapi %v", root["openapi"])
	}
	components := root["components"].(map[string]any)
	for name := range components["schemas"].(map[string]any) {
		if !regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name) {
			t.Errorf("%q is no name of a component", name)
		}
		compile(pointer("/components/schemas", name))
	}
	assertReferences(t, root, root, "")

	ids := map[string]bool{}
	tags := map[string]bool{}
	for _, tag := range root["tags"].([]any) {
		tags[tag.(map[string]any)["name"].(string)] = true
	}
	examples := 0
	for path, item := range root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			op := operation.(map[string]any)
			at := pointer("/paths", path, method)
			id, _ := op["operationId"].(string)
			if id == "" || ids[id] {
				t.Errorf("%s: operationId %q", at, id)
			}
			ids[id] = true
			for _, tag := range op["tags"].([]any) {
				if !tags[tag.(string)] {
					t.Errorf("%s: tag %v is not described", at, tag)
				}
			}
			contents := map[string]any{}
			if request, ok := op["requestBody"].(map[string]any); ok {
				contents[pointer(at, "requestBody")] = request
			}
			for status, response := range op["responses"].(map[string]any) {
				contents[pointer(at, "responses", status)] = response
				if response.(map[string]any)["description"] == "" {
					t.Errorf("%s %s is not described", at, status)
				}
			}
			for at, holder := range contents {
				content, _ := holder.(map[string]any)["content"].(map[string]any)
				for media, typed := range content {
					s := compile(pointer(at, "content", media, "schema"))
					shown, _ := typed.(map[string]any)["examples"].(map[string]any)
					for name, example := range shown {
						examples++
						if err := s.Validate(example.(map[string]any)["value"]); err != nil {
							t.Errorf("%s %s: %v", at, name, err)
						}
					}
				}
			}
		}
	}
	if examples == 0 {
		t.Error("no examples")
	}
	for _, cmd := range c.Commands {
		path := "/workflows/" + cmd.Workflow + "/subjects/" + cmd.Kind + "/{ref}/commands"
		post := root["paths"].(map[string]any)[path].(map[string]any)["post"].(map[string]any)
		for _, status := range []string{"200", "400", "401", "403", "404", "409", "413", "415", "422", "500", "503"} {
			response, ok := post["responses"].(map[string]any)[status].(map[string]any)
			if !ok || len(response["content"].(map[string]any)["application/json"].(map[string]any)["examples"].(map[string]any)) == 0 {
				t.Errorf("%s %s has no body with an example", path, status)
			}
		}
		component := components["schemas"].(map[string]any)[cmd.Workflow+"."+cmd.Code].(map[string]any)
		refusals, err := refusalsOf(cmd)
		if err != nil {
			t.Fatal(err)
		}
		for code, sentence := range refusals {
			if !strings.Contains(component["description"].(string), "`"+code+"`: "+sentence) {
				t.Errorf("%s.%s does not say that it may be refused %s", cmd.Workflow, cmd.Code, code)
			}
		}
	}
	introduced := root["info"].(map[string]any)["description"].(string)
	for _, r := range ownReasons() {
		if !strings.Contains(introduced, "| `"+r.Code+"` |") {
			t.Errorf("the introduction does not list %s", r.Code)
		}
	}
}

// assertReferences follows every $ref.
func assertReferences(t *testing.T, root, part any, at string) {
	t.Helper()
	switch v := part.(type) {
	case map[string]any:
		for name, member := range v {
			if target, ok := member.(string); ok && name == "$ref" {
				found := root
				for _, step := range strings.Split(strings.TrimPrefix(target, "#/"), "/") {
					next, _ := found.(map[string]any)
					found = next[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
				}
				if found == nil {
					t.Errorf("%s: %s leads nowhere", at, target)
				}
			}
			assertReferences(t, root, member, pointer(at, name))
		}
	case []any:
		for i, item := range v {
			assertReferences(t, root, item, pointer(at, fmt.Sprint(i)))
		}
	}
}

// What the document says of a body and what the server takes are the same.
func TestDocumentAgreesWithTheServer(t *testing.T) {
	content, err := Document(testCatalogue(), DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("umpire:///openapi.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("umpire:///openapi.json#" + pointer("/paths", "/workflows/chess/subjects/board/{ref}/commands", "post", "requestBody", "content", "application/json", "schema"))
	if err != nil {
		t.Fatal(err)
	}
	live := newServer(t, nil)
	values := []string{"", "null", "0", `""`, `"x"`, `[]`, `{}`, "true", `"e2"`, "7", "-1"}
	members := []string{"key", "code", "actor", "sent_at", "input", "saw"}
	fields := []string{"from", "ms", "note", "kind", "on", "flag", "free", "list"}
	try := func(body map[string]json.RawMessage) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		value, err := decode(string(text))
		if err != nil {
			t.Fatal(err)
		}
		documented := s.Validate(value) == nil
		if _, there := body["key"]; !there {
			documented = false // the header may carry it, here it does not
		}
		taken := live.post(t, string(text)).status == 200
		if documented != taken {
			t.Errorf("documented %v, taken %v: %s", documented, taken, text)
		}
	}
	for _, value := range values {
		for _, member := range members {
			body := map[string]json.RawMessage{"key": []byte(`"k"`), "code": []byte(`"move"`), "input": []byte(`{"from":"e2","to":"e4"}`), "saw": []byte(`{"play":3}`)}
			body[member] = json.RawMessage(value)
			if value == "" {
				delete(body, member)
				if member == "saw" {
					continue // version_missing is the engine's answer
				}
			}
			if member == "saw" && value == "{}" {
				continue
			}
			try(body)
		}
		for _, field := range fields {
			input := map[string]json.RawMessage{"from": []byte(`"e2"`), "to": []byte(`"e4"`)}
			input[field] = json.RawMessage(value)
			if value == "" {
				delete(input, field)
			}
			text, err := json.Marshal(input)
			if err != nil {
				t.Fatal(err)
			}
			try(map[string]json.RawMessage{"key": []byte(`"k"`), "code": []byte(`"move"`), "input": text, "saw": []byte(`{"play":3}`)})
		}
	}
}

func TestDocumentIsServed(t *testing.T) {
	s := newServer(t, nil)
	for path, contentType := range map[string]string{
		"/openapi.json": "application/openapi+json", "/openapi.yaml": "application/openapi+yaml", "/workflows": "application/json",
	} {
		r := s.get(t, path)
		etag := r.header.Get("ETag")
		if r.status != 200 || r.header.Get("Content-Type") != contentType || etag == "" || len(r.body) == 0 {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
		if again := s.get(t, path, "If-None-Match", etag); again.status != 304 || len(again.body) != 0 {
			t.Errorf("%s: %d with its ETag", path, again.status)
		}
	}
	var listed struct {
		Workflows []struct {
			Workflow string
			Commands []struct {
				Code, Level string
				InputSchema map[string]any `json:"input_schema"`
				Refusals    map[string]string
				Summary     string
			}
		}
		Kinds []struct {
			Kind  string
			Views []struct{ View string }
		}
	}
	if err := json.Unmarshal(s.get(t, "/workflows").body, &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Workflows) != 2 || len(listed.Workflows[0].Commands) != 4 || listed.Workflows[0].Commands[0].InputSchema["type"] != "object" ||
		len(listed.Workflows[0].Commands[0].Refusals) != 2 || len(listed.Kinds[0].Views) != 3 {
		t.Errorf("%+v", listed)
	}
}

// A new catalogue is taken into use as a whole; one that cannot be compiled changes nothing.
func TestSetCatalogue(t *testing.T) {
	s := newServer(t, nil)
	broken := testCatalogue()
	broken.Commands[0].InputSchema = json.RawMessage(`{"type":"nothing"}`)
	if err := s.api.SetCatalogue(broken); err == nil {
		t.Error("a broken schema was taken")
	}
	assertAnswer(t, s.post(t, goodBody), 200, road.Accepted, "")
	less := testCatalogue()
	less.Commands = slices.DeleteFunc(less.Commands, func(c road.CatalogueCommand) bool { return c.Code == "move" })
	if err := s.api.SetCatalogue(less); err != nil {
		t.Fatal(err)
	}
	assertAnswer(t, s.post(t, goodBody), 404, road.Refused, "unknown_command")
}
