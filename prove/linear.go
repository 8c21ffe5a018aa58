package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/anishathalye/porcupine"

	"umpire/client"
)

// linearInput is a command, or a look at a fixture.
type linearInput struct {
	command *Command
	retried bool // an earlier attempt may be what decided it
	look    string
}

// linearOutput is an answer, a view, or neither: an answer that nobody ever got.
type linearOutput struct {
	answer *client.Answer
	view   *View
}

// families splits the history: commands on two subjects stay inside a family, keys too, so each can be judged alone.
func (h *History) families() map[string][]porcupine.Operation {
	all := map[string][]porcupine.Operation{}
	var end int64
	for _, op := range h.Ops {
		end = max(end, op.Return, op.Call)
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		o := porcupine.Operation{
			ClientId: op.Client, Input: linearInput{command: &op.Command, retried: op.Attempts > 1}, Call: op.Call, Output: linearOutput{answer: op.Answer}, Return: op.Return,
		}
		if op.Answer == nil {
			o.Return = end + 1 // still under way, for all that anybody knows
		}
		all[op.Family] = append(all[op.Family], o)
	}
	for i := range h.Looks {
		look := &h.Looks[i]
		all[look.Family] = append(all[look.Family], porcupine.Operation{
			ClientId: look.Client, Input: linearInput{look: look.Ref}, Call: look.Call, Output: linearOutput{view: &look.View}, Return: look.Return,
		})
	}
	return all
}

func linearModel() porcupine.Model {
	return (&porcupine.NondeterministicModel{
		Init: func() []any { return []any{State{}} },
		Step: func(state, input, output any) []any {
			s, in, out := state.(State), input.(linearInput), output.(linearOutput)
			if in.command == nil {
				if s.Shows(in.look, out.view) == "" {
					return []any{s}
				}
				return nil
			}
			var next []any
			if out.answer == nil { // it may have happened, now or never
				next = append(next, s)
			}
			for _, b := range s.Step(*in.command) {
				if out.answer == nil && b.Verdict.Outcome == "accepted" || out.answer != nil && in.differs(b.Verdict, out.answer) == "" {
					next = append(next, b.State)
				}
			}
			return next
		},
		Equal: func(a, b any) bool { return a.(State).equal(b.(State)) },
		DescribeOperation: func(input, output any) string {
			in, out := input.(linearInput), output.(linearOutput)
			if in.command == nil {
				return fmt.Sprintf("look at %s: number %d, last play %s", in.look, out.view.Seq, number(out.view.LastPlay))
			}
			return fmt.Sprintf("%s -> %s", in.command, brief(out.answer))
		},
		DescribeState: func(any) string { return "" },
	}).ToModel()
}

// differs says how the answer is not the verdict. When an attempt got no answer the next one may be told that the command
// is a duplicate: of itself.
func (in linearInput) differs(v Verdict, a *client.Answer) string {
	if in.retried && a.Outcome == "duplicate" && a.First != nil && v.stored() {
		return v.Differs(a.First)
	}
	return v.Differs(a)
}

func number(n *int64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// Shows says how the view is not the fixture's in this state; empty when it is.
func (s State) Shows(ref string, v *View) string {
	f, exists := s.fixtures[ref]
	if !exists {
		return "there is no such fixture yet"
	}
	var last int64
	if v.LastPlay != nil {
		last = *v.LastPlay
	}
	if v.Seq != f.seq || last != f.lastPlay() || v.Data.Event != f.event || v.Data.Status != f.status() {
		return fmt.Sprintf("shown number %d, last play %d, event %s, status %s; allowed is number %d, last play %d, event %s, status %s",
			v.Seq, last, v.Data.Event, v.Data.Status, f.seq, f.lastPlay(), f.event, f.status())
	}
	return sameMatch(v.Data.Score, f.football)
}

// sameMatch says how a shown match differs from the model's; empty when it does not.
func sameMatch(shown, want Football) string {
	if want.Period == "" {
		if shown.Period != "" || shown.Status != "" {
			return "has started, and should not have"
		}
		return ""
	}
	// Through JSON once: empty and absent are the same.
	var a, b map[string]any
	for v, target := range map[*Football]*map[string]any{&shown: &a, &want: &b} {
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		if err := json.Unmarshal(text, target); err != nil {
			return err.Error()
		}
		for name, value := range *target {
			if m, isMap := value.(map[string]any); value == nil || isMap && len(m) == 0 {
				delete(*target, name)
			}
		}
		if shootout, has := (*target)["shootout"].(map[string]any); has {
			for _, side := range []string{"home", "away"} {
				if kicks := shootout[side].(map[string]any); kicks["takers"] == nil {
					kicks["takers"] = []any{}
				}
			}
		}
	}
	if !reflect.DeepEqual(a, b) {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return fmt.Sprintf("shown %s, should be %s", x, y)
	}
	return ""
}

func linearizable(h *History, patience time.Duration) (int, []string) {
	families := h.families()
	model := linearModel()
	var found []string
	for _, name := range sortedKeys(families) {
		operations := families[name]
		result, info := porcupine.CheckOperationsVerbose(model, operations, patience)
		switch result {
		case porcupine.Illegal:
			found = append(found, fmt.Sprintf("%s: its %d commands and views fit no order. %s", name, len(operations), explain(operations, info)))
		case porcupine.Unknown:
			found = append(found, fmt.Sprintf("%s: not decided within %s whether its %d commands and views fit an order", name, patience, len(operations)))
		}
	}
	return len(families), found
}

// explain says how far the longest order comes and which operation, the next to end, cannot follow.
func explain(all []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	model := linearModel()
	state := model.Init()
	placed := map[any]int{}
	for _, o := range longest {
		_, state = model.Step(state, o.Input, o.Output)
		placed[placeOf(o)]++
	}
	var stuck *porcupine.Operation
	for i := range all {
		o := &all[i]
		if placed[placeOf(*o)] > 0 {
			placed[placeOf(*o)]--
		} else if stuck == nil || o.Return < stuck.Return {
			stuck = o
		}
	}
	if stuck == nil {
		return "The search says not where."
	}
	text := fmt.Sprintf("The longest order has %d of them, and then cannot place: %s", len(longest), model.DescribeOperation(stuck.Input, stuck.Output))
	in, out := stuck.Input.(linearInput), stuck.Output.(linearOutput)
	for _, s := range state.([]any) {
		if in.command == nil {
			text += "; " + s.(State).Shows(in.look, out.view)
			continue
		}
		for _, b := range s.(State).Step(*in.command) {
			if out.answer != nil {
				text += "; " + in.differs(b.Verdict, out.answer)
			}
		}
	}
	return text
}

// placeOf tells operations apart by what they are and when.
func placeOf(o porcupine.Operation) any {
	type place struct {
		client    int
		call, end int64
		command   *Command
		look      string
	}
	in := o.Input.(linearInput)
	return place{o.ClientId, o.Call, o.Return, in.command, in.look}
}

// Picture draws a family's history as an HTML page: the longest order that fits, and what cannot follow it.
func (h *History) Picture(family string, patience time.Duration, out io.Writer) error {
	model := linearModel()
	_, info := porcupine.CheckOperationsVerbose(model, h.families()[family], patience)
	var page bytes.Buffer
	if err := porcupine.Visualize(model, info, &page); err != nil {
		return fmt.Errorf("drawing %s: %w", family, err)
	}
	_, err := page.WriteTo(out)
	return err
}
