package main

import (
	"fmt"
	"slices"
	"strings"
)

// renderer writes the body and remembers where each object is, for the contents and for links.
type renderer struct {
	body    page
	anchors map[string]string // object -> anchor
}

// render makes the page. The same database gives the same bytes.
func render(db *database) []byte {
	r := &renderer{body: page{anchors: map[string]int{}}, anchors: map[string]string{}}
	r.body.anchor("Schema reference")
	r.body.anchor("How to read this page")
	r.body.anchor("Contents")
	var contents page
	for _, s := range db.Schemas {
		r.schema(&contents, s)
	}
	r.roles(&contents, db.Roles)
	r.catalogue(&contents, db.Catalogue)

	top := page{anchors: map[string]int{}}
	top.line("<!-- Made by `%s`. Do not edit: change the comments in migrations/ and functions/. -->\n", regenerate)
	top.line("# Schema reference\n")
	top.paragraph("Everything that Umpire has in its database. This page is made by `" + regenerate + "` from a database to which the " +
		"migrations were applied and in which the functions were installed a moment before; its words are the comments of the " +
		"objects themselves. `" + regenerate + " -check` fails when the page is stale.")
	top.heading(2, "How to read this page")
	top.bullet("Each schema lists its tables, views, types and functions by name. Columns come in the order in which they are stored.")
	top.bullet("Everything is owned by `umpire_owner`, whose own rights are not repeated. Where it says who may do what, everybody " +
		"who is not named may do nothing, `public` included.")
	top.bullet("An index that belongs to a primary key or a unique constraint has no comment of its own. " +
		"Storage settings are shown where they differ from the server's.")
	top.bullet("Codes such as C-012 are requirements and cases from the field: [requirements.md](requirements.md). " +
		"How the pieces work together: [road.md](road.md).")
	top.bullet("The inputs of the commands (JSON Schema) are part of the API's own document and not repeated here.")
	top.bullet("One table more stands outside: `public.schema_version` holds the number of the last migration and belongs to tern, " +
		"which runs them.")
	top.heading(2, "Contents")
	top.line("%s", contents.String())
	top.WriteString(r.body.String())
	return []byte(strings.TrimRight(top.String(), "\n") + "\n")
}

func link(text, anchor string) string { return "[" + escape(text) + "](#" + anchor + ")" }

// object links to what was written already, or only names it.
func (r *renderer) object(name string) string {
	if anchor, ok := r.anchors[name]; ok {
		return "[" + code(name) + "](#" + anchor + ")"
	}
	return code(name)
}

// part writes one list of objects under a heading, and a line of the contents.
func (r *renderer) part(contents *page, s schema, title string, n int, name func(int) string, write func(int)) {
	if n == 0 {
		return
	}
	whole := link(title, r.body.heading(3, title+" of "+s.Name))
	links := make([]string, n)
	for i := range n {
		r.anchors[name(i)] = r.body.heading(4, name(i))
		links[i] = link(strings.TrimPrefix(name(i), s.Name+"."), r.anchors[name(i)])
		write(i)
	}
	contents.inner("%s: %s", whole, strings.Join(links, ", "))
}

func (r *renderer) schema(contents *page, s schema) {
	contents.bullet("%s", link("Schema "+s.Name, r.body.heading(2, "Schema "+s.Name)))
	r.body.paragraph(escape(s.Comment))
	r.grants("Who may look into it", s.Grants)
	r.part(contents, s, "Tables", len(s.Tables), func(i int) string { return s.Tables[i].Name }, func(i int) { r.table(s.Tables[i]) })
	r.part(contents, s, "Views", len(s.Views), func(i int) string { return s.Views[i].Name }, func(i int) { r.view(s.Views[i]) })
	r.part(contents, s, "Types", len(s.Types), func(i int) string { return s.Types[i].Name }, func(i int) { r.composite(s.Types[i]) })
	r.part(contents, s, "Functions", len(s.Functions), func(i int) string { return s.Functions[i].Name }, func(i int) { r.function(s.Functions[i]) })
}

func (r *renderer) table(t table) {
	r.body.paragraph(escape(t.Comment))
	r.columns(t.Columns)

	r.list("Keys and rules", len(t.Constraints), func(i int) string { return constraintText(t.Constraints[i]) })
	if !t.hasForeignKey() {
		why := t.whyNoForeignKey()
		r.list("Why it has no foreign key", len(why), func(i int) string {
			if why[i].Column == "" {
				return escape(why[i].Sentence)
			}
			return code(why[i].Column) + ": " + escape(why[i].Sentence)
		})
	}
	r.list("Indexes", len(t.Indexes), func(i int) string { return indexText(t.Indexes[i]) })
	r.list("Triggers", len(t.Triggers), func(i int) string { return code(t.Triggers[i]) })
	if len(t.Storage) > 0 {
		r.body.paragraph("**Storage:** " + codes(t.Storage))
	}
	r.grants("Who may do what", t.Grants)
}

func (r *renderer) view(v table) {
	r.body.paragraph(escape(v.Comment))
	r.columns(v.Columns)
	r.list("Indexes", len(v.Indexes), func(i int) string { return indexText(v.Indexes[i]) })
	r.grants("Who may do what", v.Grants)
}

func (r *renderer) columns(columns []column) {
	rows := make([][]string, len(columns))
	for i, c := range columns {
		null := "yes"
		if c.NotNull {
			null = "no"
		}
		value := code(c.Default)
		switch {
		case c.Generated != "":
			value = "generated, " + c.Generated + ": " + value
		case c.Identity != "":
			value = "identity, generated " + c.Identity
		}
		rows[i] = []string{code(c.Name), code(c.Type), null, value, escape(c.Comment)}
	}
	r.body.rows([]string{"column", "type", "null", "default", "what it is"}, rows)
}

// constraintText takes the kind out of the definition, to be read first.
func constraintText(c constraint) string {
	definition := strings.TrimPrefix(c.Definition, map[string]string{
		"p": "PRIMARY KEY ", "u": "UNIQUE ", "f": "FOREIGN KEY ", "c": "CHECK ", "x": "EXCLUDE "}[c.Kind])
	if c.Kind == "c" {
		definition = strings.TrimSuffix(strings.TrimPrefix(definition, "("), ")")
	}
	what := map[string]string{"p": "primary key", "u": "unique", "f": "foreign key", "c": "check", "x": "exclude"}[c.Kind]
	return what + " " + code(definition)
}

// indexText leaves out of the definition what the line says anyway.
func indexText(i index) string {
	definition := i.Definition
	if _, after, ok := strings.Cut(definition, " USING "); ok {
		definition = after
	}
	text := code(i.Name) + ": "
	if strings.HasPrefix(i.Definition, "CREATE UNIQUE ") {
		text += "unique "
	}
	text += code(definition)
	if i.Comment != "" {
		text += ". " + escape(i.Comment)
	} else if i.Constraint != "" {
		text += ", made by its constraint"
	}
	return text
}

func (r *renderer) composite(c composite) {
	r.body.paragraph(escape(c.Comment))
	rows := make([][]string, len(c.Attributes))
	header := []string{"attribute", "type"}
	commented := slices.ContainsFunc(c.Attributes, func(a column) bool { return a.Comment != "" })
	if commented {
		header = append(header, "what it is")
	}
	for i, a := range c.Attributes {
		rows[i] = []string{code(a.Name), code(a.Type)}
		if commented {
			rows[i] = append(rows[i], escape(a.Comment))
		}
	}
	r.body.rows(header, rows)
	r.grants("Who may use it", c.Grants)
}

func (r *renderer) function(f function) {
	r.body.line("```sql\n%s\n```\n", signature(f))
	r.body.paragraph(escape(f.Comment))
	how := []string{f.Language, f.Volatile}
	if f.Definer {
		how = append(how, "security definer")
	}
	if f.Strict {
		how = append(how, "strict")
	}
	text := strings.Join(how, ", ")
	if len(f.Settings) > 0 {
		text += ", with " + codes(f.Settings)
	}
	r.body.bullet("%s", text)
	if len(f.Grants) == 0 {
		r.body.bullet("called by functions of `umpire_owner` only")
	} else {
		callers := make([]string, len(f.Grants))
		for i, g := range f.Grants {
			callers[i] = code(g.Role) + passOn(g)
		}
		r.body.bullet("may be called by %s", strings.Join(callers, ", "))
	}
	r.body.bullet("from [functions/%[1]s](../functions/%[1]s)", f.File)
	r.body.line("")
}

// signature is the function's head on one line, or with one argument a line when that would be long.
func signature(f function) string {
	var in, table []string
	for _, a := range f.Arguments {
		text := strings.TrimSpace(a.Name + " " + a.Type)
		if a.Default != "" {
			text += " default " + a.Default
		}
		switch a.Mode {
		case "t":
			table = append(table, text)
		case "o":
			in = append(in, "out "+text)
		case "b":
			in = append(in, "inout "+text)
		case "v":
			in = append(in, "variadic "+text)
		default:
			in = append(in, text)
		}
	}
	result := ""
	switch {
	case len(table) > 0:
		result = "\nreturns table (" + listed(table, len("returns table ()")) + ")"
	case slices.ContainsFunc(f.Arguments, func(a argument) bool { return a.Mode == "o" || a.Mode == "b" }):
	case f.Result != "":
		result = "\nreturns " + strings.Replace(f.Result, "SETOF ", "setof ", 1)
	}
	return f.Name + "(" + listed(in, len(f.Name)+2) + ")" + result
}

func listed(parts []string, around int) string {
	short := strings.Join(parts, ", ")
	if len(short)+around <= 100 {
		return short
	}
	return "\n    " + strings.Join(parts, ",\n    ")
}

func passOn(g grant) string {
	if g.PassOn {
		return " (and may pass it on)"
	}
	return ""
}

// list writes a bold line and a bullet each; nothing when there is nothing.
func (r *renderer) list(title string, n int, text func(int) string) {
	if n == 0 {
		return
	}
	r.body.line("**%s:**\n", title)
	for i := range n {
		r.body.bullet("%s", text(i))
	}
	r.body.line("")
}

// grants writes one bullet per role.
func (r *renderer) grants(title string, grants []grant) {
	if len(grants) == 0 {
		r.body.paragraph("**" + title + ":** only `umpire_owner`")
		return
	}
	var names []string
	does := map[string][]string{}
	for _, g := range grants {
		if !slices.Contains(names, g.Role) {
			names = append(names, g.Role)
		}
		text := g.Does
		if len(g.Columns) > 0 {
			text += " of " + codes(g.Columns)
		}
		does[g.Role] = append(does[g.Role], text+passOn(g))
	}
	slices.Sort(names)
	// Roles with the same rights share a line.
	var lines []string
	sharing := map[string][]string{}
	for _, name := range names {
		rights := strings.Join(does[name], ", ")
		if len(sharing[rights]) == 0 {
			lines = append(lines, rights)
		}
		sharing[rights] = append(sharing[rights], name)
	}
	if len(lines) == 1 {
		r.body.paragraph("**" + title + ":** " + codes(sharing[lines[0]]) + ": " + lines[0])
		return
	}
	r.list(title, len(lines), func(i int) string { return codes(sharing[lines[i]]) + ": " + lines[i] })
}

func (r *renderer) roles(contents *page, roles []role) {
	contents.bullet("%s", link("Roles", r.body.heading(2, "Roles")))
	r.body.paragraph("Roles belong to the whole server, not to one database. What each may do with an object stands at the object.")
	rows := make([][]string, len(roles))
	for i, o := range roles {
		login := "no"
		if o.Login {
			login = "yes"
		}
		rows[i] = []string{code(o.Name), login, codes(o.MemberOf), escape(o.Comment)}
	}
	r.body.rows([]string{"role", "may log in", "is a member of", "what it is for"}, rows)
}

func (r *renderer) catalogue(contents *page, c catalogue) {
	contents.bullet("%s", link("The catalogue", r.body.heading(2, "The catalogue")))
	r.body.paragraph("What the functions package puts into " + r.object("road.kind") + ", " + r.object("road.workflow") + ", " +
		r.object("road.catalogue_command") + " and " + r.object("road.catalogue_view") + " at every install.")

	contents.inner("%s", link("Kinds of subject", r.body.heading(3, "Kinds of subject")))
	r.body.paragraph("Lower ranks are locked first.")
	rows := make([][]string, len(c.Kinds))
	for i, k := range c.Kinds {
		verifier := "-"
		if k.Verifier != "" {
			verifier = r.object(k.Verifier)
		}
		rows[i] = []string{code(k.Kind), fmt.Sprint(k.LockRank), verifier, escape(k.Summary)}
	}
	r.body.rows([]string{"kind", "lock rank", "replayed by", "what it is"}, rows)

	for _, w := range c.Workflows {
		r.workflow(contents, w)
	}

	contents.inner("%s", link("Views of subjects", r.body.heading(3, "Views of subjects")))
	r.body.paragraph("A view is a read, `GET /subjects/{kind}/{ref}/{view}`; `state` is the subject itself, `GET /subjects/{kind}/{ref}`.")
	rows = make([][]string, len(c.Views))
	for i, v := range c.Views {
		readers, pages := "senders that may read logs", "no"
		if v.Open {
			readers = "anybody"
		}
		if v.Paged {
			pages = "yes"
		}
		rows[i] = []string{code(v.Kind), code(v.View), pages, readers, r.object(v.Handler), escape(v.Summary)}
	}
	r.body.rows([]string{"kind", "view", "in pages", "open to", "function", "what it shows"}, rows)
}

func (r *renderer) workflow(contents *page, w workflow) {
	title := "Workflow " + w.Workflow
	anchor := r.body.heading(3, title)
	r.body.paragraph(escape(w.Summary))
	names := make([]string, len(w.Commands))
	rows := make([][]string, len(w.Commands))
	for i, c := range w.Commands {
		names[i] = c.Workflow + "." + c.Code
		creates := "no"
		if c.Creates {
			creates = "yes"
		}
		rows[i] = []string{code(names[i]), code(c.Kind), c.Level, creates, c.Pool, c.KeyTTL, escape(c.Summary)}
	}
	r.body.rows([]string{"command", "sent to", "versions", "creates its subject", "pool", "key remembered", "what it does"}, rows)
	links := make([]string, len(w.Commands))
	for i, c := range w.Commands {
		links[i] = link(c.Code, r.body.heading(4, names[i]))
		r.command(c)
	}
	contents.inner("%s: %s", link(title, anchor), strings.Join(links, ", "))
}

func (r *renderer) command(c command) {
	r.body.paragraph(escape(c.Summary))
	r.body.bullet("handler %s", r.object(c.Handler))
	if c.Locks != "" {
		r.body.bullet("lock function %s", r.object(c.Locks))
	}
	if c.Current != "" {
		r.body.bullet("current function %s", r.object(c.Current))
	}
	switch c.LogInput {
	case "redacted":
		r.body.bullet("the log keeps the input without %s", codes(c.LogDrop))
	case "none":
		r.body.bullet("the log keeps nothing of the input")
	default:
		r.body.bullet("the log keeps the whole input")
	}
	r.body.line("")
	if len(c.Refusals) == 0 {
		r.body.paragraph("No rule of its own refuses it.")
		return
	}
	rows := make([][]string, len(c.Refusals))
	for i, f := range c.Refusals {
		rows[i] = []string{code(f.Code), escape(f.Sentence)}
	}
	r.body.rows([]string{"refused", "because"}, rows)
}
