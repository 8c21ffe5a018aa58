package road

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestReadInPages(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for i := range 7 {
		w.expect(t, r.Execute(t.Context(), w.line(fmt.Sprint("k", i), fmt.Sprint("<line> & ", i))), Accepted, "")
	}
	var texts []string
	cursor := ""
	for pages := 0; ; pages++ {
		if pages > 10 {
			t.Fatal("no end")
		}
		raw, err := r.Read(t.Context(), "", "fixture", "final", "commentary", cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			View string
			Seq  int
			Data struct {
				Items []struct{ Text string }
				Next  *string
			}
		}
		if err := json.Unmarshal(raw, &body); err != nil || body.View != "commentary" || body.Seq != 8 {
			t.Fatalf("%s: %v", raw, err)
		}
		if bytes.Contains(raw, []byte(`\u003c`)) {
			t.Errorf("escaped for HTML: %s", raw)
		}
		for _, item := range body.Data.Items {
			texts = append(texts, item.Text)
		}
		if body.Data.Next == nil {
			break
		}
		if _, err := decodeCursor(*body.Data.Next); err != nil {
			t.Fatalf("next %q is not opaque: %v", *body.Data.Next, err)
		}
		cursor = *body.Data.Next
	}
	if want := []string{"<line> & 0", "<line> & 1", "<line> & 2", "<line> & 3", "<line> & 4", "<line> & 5", "<line> & 6"}; !reflect.DeepEqual(texts, want) {
		t.Errorf("%q", texts)
	}
}

func TestReadErrors(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	var bad *BadArgumentError
	for _, c := range []struct {
		kind, ref, view, cursor string
		limit                   int
		is                      func(error) bool
	}{
		{"fixture", "nowhere", "state", "", 0, func(err error) bool { return errors.Is(err, ErrNotFound) }},
		{"fixture", "final", "nothing", "", 0, func(err error) bool { return errors.Is(err, ErrNotFound) }},
		{"fixture", "fi\x00nal", "state", "", 0, func(err error) bool { return errors.Is(err, ErrNotFound) }},
		{"fixture", "\xff", "state", "", 0, func(err error) bool { return errors.Is(err, ErrNotFound) }},
		{"fixture", "final", "commentary", "", -1, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", "", 501, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", "3", 0, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", "???", 0, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", encodeCursor("garbage"), 0, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", encodeCursor("99999999999999999999999"), 0, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", encodeCursor("a\x00b"), 0, func(err error) bool { return errors.As(err, &bad) }},
		{"fixture", "final", "commentary", encodeCursor("\xff"), 0, func(err error) bool { return errors.As(err, &bad) }},
	} {
		body, err := r.Read(t.Context(), "", c.kind, c.ref, c.view, c.cursor, c.limit)
		if err == nil || !c.is(err) {
			t.Errorf("%q %q %q: %v %s", c.ref, c.view, c.cursor, err, body)
		}
	}
	w.exec(t, `create or replace function sport.fixture_state(q road.query) returns jsonb language plpgsql stable as $$ begin
		raise exception 'geheim' using errcode = 'P0001'; end $$`)
	_, err := r.Read(t.Context(), "", "fixture", "final", "state", "", 0)
	var database *DatabaseError
	if !errors.As(err, &database) || database.SQLState != "P0001" || bytes.Contains([]byte(err.Error()), []byte("geheim")) {
		t.Errorf("a view's bug: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, "", "fixture", "final", "plays", "", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("the reader went away: %v", err)
	}
	if _, err := r.Read(t.Context(), "", "fixture", "final", "plays", "", 0); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// C-056: the same row that the command committed with; a sender sees its own only.
func TestSavedCommand(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	if _, err := r.SavedCommand(t.Context(), "desk", "k", ""); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	a := r.Execute(t.Context(), w.line("k", "x"))
	w.expect(t, a, Accepted, "")
	body, err := r.SavedCommand(t.Context(), "desk", "k", "")
	if err != nil || !bytes.Contains(body, a.Body) {
		t.Fatalf("%s: %v", body, err)
	}
	for _, c := range [][3]string{{"other", "k", ""}, {"desk", "k", "actor"}, {"desk", "k\x00", ""}} {
		if _, err := r.SavedCommand(t.Context(), c[0], c[1], c[2]); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

func TestCatalogue(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	c, err := r.LoadCatalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.CodeHash) != 64 || len(c.Kinds) < 2 || c.Kinds[0].Kind != "event" || c.Kinds[1].Kind != "fixture" || len(c.Workflows) < 3 || len(c.Views) < 5 {
		t.Errorf("%+v", c)
	}
	var found bool
	for i, cmd := range c.Commands {
		if i > 0 && c.Commands[i-1].Workflow+" "+c.Commands[i-1].Code >= cmd.Workflow+" "+cmd.Code {
			t.Errorf("%s.%s is out of order", cmd.Workflow, cmd.Code)
		}
		for _, j := range []json.RawMessage{cmd.InputSchema, cmd.Example, cmd.Refusals} {
			if !json.Valid(j) {
				t.Errorf("%s.%s: %q", cmd.Workflow, cmd.Code, j)
			}
		}
		if cmd.Workflow == "football" && cmd.Code == "goal" {
			found = cmd.Kind == "fixture" && cmd.Level == "play" && !cmd.Creates && cmd.Pool == CommandPool && cmd.KeyTTL.Hours() == 720
		}
	}
	if !found {
		t.Error("football.goal is not as it should be")
	}
	again, err := r.LoadCatalogue(t.Context())
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Errorf("the second time it differs: %v", err)
	}
}
