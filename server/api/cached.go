package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// document is something that is the same for everybody until the catalogue changes.
type document struct {
	contentType string
	content     []byte
	etag        string
}

func newDocument(contentType string, content []byte) document {
	return document{contentType: contentType, content: content, etag: etagOf(content)}
}

func (d document) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", d.etag)
	w.Header().Set("Cache-Control", "no-cache")
	if matches(r.Header.Get("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", d.contentType)
	_, _ = w.Write(d.content)
}

// etagOf is a strong tag of the content.
func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

// matches says whether If-None-Match names the tag. A proxy that compresses makes it weak on the way; for this
// comparison the two are the same (RFC 9110, 13.1.2).
func matches(ifNoneMatch, etag string) bool {
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}
