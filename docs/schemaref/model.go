package main

// database is what the page shows. Everything in it is in the order in which it is shown.
type database struct {
	Roles     []role
	Schemas   []schema
	Catalogue catalogue

	// Strange are objects of a kind that the page does not know how to show.
	Strange []string
}

type role struct {
	Name     string
	Login    bool
	Comment  string
	MemberOf []string
}

type schema struct {
	Name      string
	Comment   string
	Grants    []grant
	Tables    []table
	Views     []table
	Types     []composite
	Functions []function
}

// grant is what one role may do; the owner's own rights are left out.
type grant struct {
	Role    string // "public": everybody
	Does    string // select, execute, ...
	Columns []string
	PassOn  bool
}

// table is a view too.
type table struct {
	Name        string
	Comment     string
	Columns     []column
	Constraints []constraint
	Indexes     []index
	Triggers    []string
	Storage     []string
	Grants      []grant
}

type column struct {
	Name      string
	Type      string
	NotNull   bool
	Default   string
	Generated string // "stored" or "virtual": Default is the expression
	Identity  string // "always" or "by default"
	Comment   string
}

type constraint struct {
	Name       string
	Kind       string // p, u, f, c, x as in pg_constraint
	Definition string
}

type index struct {
	Name       string
	Definition string
	Constraint string // the constraint it belongs to, if any
	Comment    string
}

type composite struct {
	Name       string
	Comment    string
	Attributes []column
	Grants     []grant
}

type function struct {
	Name      string
	Arguments []argument
	Result    string // empty for a procedure
	Language  string
	Volatile  string
	Definer   bool
	Strict    bool
	Settings  []string
	Comment   string
	Grants    []grant
	File      string // below functions/; empty when no file is found that makes it
}

type argument struct {
	Name, Type, Mode, Default string
}

type catalogue struct {
	Kinds     []kind
	Workflows []workflow
	Views     []view
}

type kind struct {
	Kind     string
	LockRank int
	Verifier string
	Summary  string
}

type workflow struct {
	Workflow string
	Summary  string
	Commands []command
}

type command struct {
	Workflow, Code, Kind, Level string
	Creates                     bool
	Pool, KeyTTL                string
	LogInput                    string
	LogDrop                     []string
	Handler, Locks, Current     string
	Refusals                    []refusal
	Summary                     string
}

type refusal struct{ Code, Sentence string }

type view struct {
	Kind, View, Handler string
	Paged, Open         bool
	Summary             string
}
