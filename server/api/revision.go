package api

import (
	"encoding/json"
	"net/http"
	"strings"
)

const (
	levelRevision = "revision"
	matchHeader   = "If-Match"
)

// sawWithRevision puts the revision of the header If-Match into saw, where the road looks for it. The header is for
// commands of level revision; where header and body both have one, they are the same.
func sawWithRevision(r *http.Request, saw json.RawMessage, level string) (json.RawMessage, *fault) {
	given := r.Header.Values(matchHeader)
	if len(given) == 0 {
		return saw, nil
	}
	if level != levelRevision {
		return nil, &fault{Path: "/saw", Message: "The header If-Match is for commands that ask for a revision; this one does not."}
	}
	revision, ok := strongTag(given)
	if !ok {
		return nil, &fault{Path: "/saw/revision", Message: "The header If-Match must come once, with one strong ETag."}
	}
	members := map[string]json.RawMessage{}
	if saw != nil {
		if err := json.Unmarshal(saw, &members); err != nil {
			return nil, &fault{Path: "/saw", Message: "Must be an object."}
		}
	}
	header, err := json.Marshal(revision)
	if err != nil {
		return nil, &fault{Path: "/saw/revision", Message: "The header If-Match cannot be read."}
	}
	var inBody string
	if there, ok := members[levelRevision]; ok && (json.Unmarshal(there, &inBody) != nil || inBody != revision) {
		return nil, &fault{Path: "/saw/revision", Message: "The header If-Match has another revision."}
	}
	members[levelRevision] = header
	merged, err := json.Marshal(members)
	if err != nil {
		return nil, &fault{Path: "/saw", Message: "Cannot be read."}
	}
	return merged, nil
}

// strongTag is what stands in the quotes of a single strong ETag.
func strongTag(given []string) (string, bool) {
	if len(given) != 1 {
		return "", false
	}
	tag := strings.TrimSpace(given[0])
	if len(tag) < 3 || len(tag) > 102 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		return "", false
	}
	inside := tag[1 : len(tag)-1]
	for i := range len(inside) {
		if c := inside[i]; c < 0x21 || c == '"' || c > 0x7e {
			return "", false
		}
	}
	return inside, true
}
