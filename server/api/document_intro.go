package api

import (
	"fmt"
	"strings"

	"umpire/server/road"
)

const introductionText = `Whoever changes something (a scorer's screen, a data provider, an import, a game server) sends a **command** to a subject. Each command gets exactly one of five answers:

| outcome | HTTP | what it means | what to do |
|---|---|---|---|
| ` + "`accepted`" + ` | 200 | It is saved; ` + "`seq`" + ` is its number in the subject's log. | Done. |
| ` + "`duplicate`" + ` | that of the first answer, with ` + "`Idempotent-Replayed: true`" + ` | This key was answered before; ` + "`first`" + ` is that answer, unchanged. Nothing is applied twice. | Take ` + "`first`" + ` for the answer. |
| ` + "`refused`" + ` | 422, 400, 401, 403, 404, 413, 415 | A rule, or the form of the command, says no; ` + "`reason`" + ` says why. | Do not send it again as it is. |
| ` + "`conflict`" + ` | 409 | What the sender saw has moved on; ` + "`changed`" + ` is how it is now. | Look, decide again, send a new command. |
| ` + "`try_again`" + ` | 503, 500 | No decision was made, or none is known. | Send the same command under the same key, after ` + "`retry_after_ms`" + `. |

All answers to commands have one body. Members that are not known are null.

## Keys

The sender makes a **key** once for each command and stores it with the command before it sends it. Every retry carries the same key, so that nothing is counted twice. Keys are the sender's own (and the actor's, where a sender sends for others); no sender sees another's. A key that comes with another command is refused ` + "`key_reused`" + `. The key travels in the body (` + "`key`" + `) or in the header ` + "`Idempotency-Key`" + `.

Two commands are the same when workflow, code, subject and input are the same as JSON: the order of members and blanks do not matter, the order of array items and the way a number is written (1 or 1.0) do. ` + "`saw`" + ` and ` + "`sent_at`" + ` do not count.

Was it saved? Send it again, or ask ` + "`GET /commands/{key}`" + `.

## Retries

Only ` + "`try_again`" + ` and network errors are sent again: with the same key, after ` + "`retry_after_ms`" + ` or, without an answer, after min(30 s, 200 ms times 2 to the n), times a random number from 0.5 to 1.5. Send the commands of one subject one at a time, oldest first, so that an undo never overtakes what it undoes.

## Versions

A command states what its sender saw, as its level asks: ` + "`none`" + ` nothing; ` + "`play`" + ` the last play (` + "`saw.play`" + `, from ` + "`last_play`" + ` of the state); ` + "`rows`" + ` the ` + "`changed_seq`" + ` of each row that it changes (` + "`saw.rows`" + `); ` + "`revision`" + ` the revision of the subject (` + "`saw.revision`" + ` or the header ` + "`If-Match`" + `, from the ETag of the state; a conflict is then 412). An explicit null means "I saw none"; leaving it out is refused ` + "`version_missing`" + `.

## Strict JSON

Bodies are UTF-8 and at most 1 MiB; no member twice (not in another case either), no NUL, no half of a surrogate pair, at most 64 levels deep, numbers of at most 40 digits when written out. Whole numbers are written without fraction or exponent. Optional members are left out, not null, unless a schema says so.

Everything that is not an answer to a command speaks RFC 9457 (` + "`application/problem+json`" + `) when it goes wrong, with a ` + "`code`" + ` for programs.

## Reasons of the engine

Besides the rules' own, which are listed with each command.

<details>
<summary>All of them, with the answer that each comes with</summary>

| code | outcome | meaning |
|---|---|---|
`

func introduction() string {
	var b strings.Builder
	b.WriteString(introductionText)
	for _, r := range ownReasons() {
		outcome := string(r.Outcome)
		if r.Outcome == road.TryAgain && r.Internal {
			outcome += " (500)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Code, outcome, cell(r.Message))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// cell makes a sentence fit for a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
