package api

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/swaggest/swgui/v5/static"
)

//go:embed page
var page embed.FS

// pagePolicy: the page loads nothing from elsewhere and runs no script but its own. Swagger UI sets styles on elements
// and draws its icons from data URLs.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// registerDocs serves the docs page with the Swagger UI that is built into the binary: it works without the internet.
func registerDocs(mux *http.ServeMux) error {
	html, err := page.ReadFile("page/page.html")
	if err != nil {
		return fmt.Errorf("docs page: %w", err)
	}
	shown := newDocument("text/html; charset=utf-8", html)
	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		shown.serve(w, r)
	})

	for _, a := range []struct {
		from fs.FS
		name string
	}{
		{page, "page/page.css"}, {page, "page/page.js"},
		{static.FS, "swagger-ui.css.gz"}, {static.FS, "swagger-ui-bundle.js.gz"}, {static.FS, "favicon-32x32.png"},
	} {
		served, err := newAsset(a.from, a.name)
		if err != nil {
			return fmt.Errorf("docs page: %w", err)
		}
		mux.HandleFunc("GET /docs/"+served.name, served.serve)
	}
	return nil
}

// asset is a file of the page; packed is its gzip form where the binary carries that.
type asset struct {
	name   string
	plain  document
	packed []byte
}

func newAsset(from fs.FS, name string) (*asset, error) {
	content, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	a := &asset{name: strings.TrimSuffix(path.Base(name), ".gz")}
	if strings.HasSuffix(name, ".gz") {
		a.packed = content
		unpacked, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		if content, err = io.ReadAll(unpacked); err != nil {
			return nil, err
		}
	}
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".png": "image/png"}
	a.plain = newDocument(types[path.Ext(a.name)], content)
	return a, nil
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	if a.packed == nil || !takesGzip(r.Header.Get("Accept-Encoding")) {
		a.plain.serve(w, r)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Vary", "Accept-Encoding")
	document{contentType: a.plain.contentType, content: a.packed, etag: strings.TrimSuffix(a.plain.etag, `"`) + `-gzip"`}.serve(w, r)
}

func takesGzip(accept string) bool {
	for coding := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" && strings.TrimSpace(weight) != "q=0" {
			return true
		}
	}
	return false
}
