package api

import (
	"net/http"
	"slices"

	"umpire/server/road"
	"umpire/server/telemetry"
)

const (
	commandPath    = "/workflows/{workflow}/subjects/{kind}/{ref}/commands"
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotent-Replayed"
)

// postCommand takes a command from HTTP to the road. What is wrong is said in this order: the body cannot be taken (415,
// 413), it is not strict JSON (400), the sender is nobody (401), there is no such workflow or kind (404), the sender may
// not (403), the envelope (422), the code (404), the input (422). Then one call, whose answer goes out as it came.
func (a *API) postCommand(w http.ResponseWriter, r *http.Request) {
	command, about, wrong := a.readCommand(w, r)
	line := telemetry.FromContext(r.Context())
	line.Sender = command.Sender
	if about.kind != "" && about.ref != "" {
		line.Subject = about.kind + "/" + about.ref
	}
	if wrong != nil {
		line.Outcome, line.Reason = string(wrong.outcome), wrong.reason.Code
		writeVerdict(w, wrong, about)
		return
	}

	answer := a.engine.Execute(r.Context(), command)

	line.Outcome, line.Reason = string(answer.Outcome), answer.Reason
	status := a.reasons.status(answer)
	switch {
	case answer.Outcome == road.Conflict && about.revision:
		status = http.StatusPreconditionFailed
	case answer.Outcome == road.Duplicate:
		w.Header().Set(replayedHeader, "true")
	case answer.Outcome == road.TryAgain:
		w.Header().Set("Retry-After", retryAfter(answer.RetryAfter))
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", challenge+`, error="invalid_token"`)
	}
	writeAnswer(w, status, answer.Body)
}

func (a *API) readCommand(w http.ResponseWriter, r *http.Request) (command road.Command, about named, wrong *verdict) {
	about = namedInPath(r)
	if key, ok := keyOfHeader(r); ok {
		about.key = key
	}
	content, wrong := readBody(w, r, a.bodyTimeout)
	if wrong != nil {
		return command, about, wrong
	}
	read, found := readStrictly(content)
	if found != nil {
		return command, about, badInput(http.StatusBadRequest, "The body cannot be read as strict JSON.", fault{Path: found.path, Message: found.message})
	}
	sent, faults := a.readEnvelope(r, read)
	about.key, about.code = sent.Key, sent.Code

	sender, wrong := a.whoSends(r.Context(), authorization(r))
	if wrong != nil {
		return command, about, wrong
	}
	command.Sender, command.TokenSHA256 = sender.Name, sender.TokenSHA256

	catalogue := a.current.Load()
	if !catalogue.workflows[about.workflow] || !catalogue.kinds[about.kind] {
		return command, about, unknownCommand()
	}
	if sender.Workflows != nil && !slices.Contains(sender.Workflows, about.workflow) {
		return command, about, refuse(http.StatusForbidden, reasonNotAllowed, "The sender may not use this workflow.").scope("workflows")
	}
	if sent.Actor != "" && !sender.MayAct {
		return command, about, refuse(http.StatusForbidden, reasonNotAllowed, "The sender may not send for others.").scope("act")
	}
	if len(faults) > 0 {
		return command, about, badInput(http.StatusUnprocessableEntity, "The command is not formed as it must be.", faults...)
	}
	input, ok := catalogue.inputs[commandName{about.workflow, about.kind, sent.Code}]
	if !ok {
		return command, about, unknownCommand()
	}
	if about.ref == "" && !input.creates {
		return command, about, refuse(http.StatusNotFound, reasonSubjectNotFound, "There is no such subject; create it first, or mend the reference.")
	}
	if about.ref == "" {
		return command, about, badInput(http.StatusUnprocessableEntity, "A new reference has 1 to 128 of A-Z a-z 0-9 . _ : - , begins with a letter or digit, and is not a uuid.")
	}
	if faults := input.schema.check(read.value.(map[string]any)["input"], "/input"); len(faults) > 0 {
		return command, about, badInput(http.StatusUnprocessableEntity, "The input is not what the command asks for.", faults...)
	}

	saw, sawFault := sawWithRevision(r, sent.Saw, input.level)
	if sawFault != nil {
		return command, about, badInput(http.StatusUnprocessableEntity, "The command is not formed as it must be.", *sawFault)
	}
	about.revision = input.level == levelRevision

	command.Workflow, command.Kind, command.Ref, command.Code = about.workflow, about.kind, about.ref, sent.Code
	command.Key, command.Actor = sent.Key, sent.Actor
	command.Input, command.Saw, command.SentAt = sent.Input, saw, sent.sentAt()
	return command, about, nil
}

// readEnvelope gives what can be read of the body's outer part and what is wrong with it. Members that are wrong are
// left empty.
func (a *API) readEnvelope(r *http.Request, read strictBody) (envelope, []fault) {
	var sent envelope
	faults := a.envelope.check(read.value, "")
	members, _ := read.value.(map[string]any)
	text := func(name string) string { s, _ := members[name].(string); return s }
	if code := text("code"); isName(code) {
		sent.Code = code
	}
	if actor := text("actor"); isKey(actor) {
		sent.Actor = actor
	}
	sent.SentAt, sent.Input, sent.Saw = text("sent_at"), read.members["input"], read.members["saw"]

	key, keyFault := keyOf(r, members)
	sent.Key = key
	if keyFault != nil {
		faults = append(faults, *keyFault)
	}
	return sent, faults
}

// keyOf takes the key from the body or the header; where both have one, they are the same.
func keyOf(r *http.Request, members map[string]any) (string, *fault) {
	inBody, isThere := members["key"]
	text, _ := inBody.(string)
	header, headerFine := keyOfHeader(r)
	if len(r.Header.Values(keyHeader)) > 0 && !headerFine {
		return "", &fault{Path: "/key", Message: "The header Idempotency-Key must come once, with 1 to 200 printable characters."}
	}
	switch {
	case !isThere && headerFine:
		return header, nil
	case !isThere:
		return "", &fault{Path: "/key", Message: "This is required, here or in the header Idempotency-Key."}
	case headerFine && header != text:
		return "", &fault{Path: "/key", Message: "The header Idempotency-Key has another key."}
	case !isKey(text):
		return "", nil // the schema has said so
	}
	return text, nil
}

func keyOfHeader(r *http.Request) (string, bool) {
	given := r.Header.Values(keyHeader)
	if len(given) != 1 || !isKey(given[0]) {
		return "", false
	}
	return given[0], true
}

// authorization is the header, where it came once.
func authorization(r *http.Request) string {
	if given := r.Header.Values("Authorization"); len(given) == 1 {
		return given[0]
	}
	return ""
}

// namedInPath is what the path says, as far as it is well-formed.
func namedInPath(r *http.Request) (about named) {
	if workflow := r.PathValue("workflow"); isName(workflow) {
		about.workflow = workflow
	}
	if kind := r.PathValue("kind"); isName(kind) {
		about.kind = kind
	}
	if ref := r.PathValue("ref"); isRef(ref) {
		about.ref = plainRef(ref)
	}
	return about
}
