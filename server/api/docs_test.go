package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The page works without the internet: it names nothing outside, and the policy would not let it.
func TestDocsPage(t *testing.T) {
	s := newServer(t, nil)
	if r := s.get(t, "/"); r.status != http.StatusFound || r.header.Get("Location") != "/docs" {
		t.Errorf("/: %d %v", r.status, r.header)
	}
	r := s.get(t, "/docs")
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", r.status, r.header)
	}
	policy := r.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") || strings.Contains(policy, "unsafe-eval") ||
		strings.Contains(policy, "script-src 'self' 'unsafe-inline'") {
		t.Errorf("policy %s", policy)
	}
	if outside := regexp.MustCompile(`(?i)(https?:)?//[a-z]`).FindString(string(r.body)); outside != "" {
		t.Errorf("the page names %s", outside)
	}
	if strings.Contains(string(r.body), "<script>") {
		t.Error("inline script: the policy forbids it")
	}
	for _, link := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(r.body), -1) {
		asset := s.get(t, "/"+link[1], "Accept-Encoding", "identity")
		if asset.status != 200 || len(asset.body) == 0 {
			t.Errorf("%s: %d", link[1], asset.status)
		}
	}
	script := s.get(t, "/docs/page.js")
	if regexp.MustCompile(`(https?:)?//[a-z]`).Match(script.body) {
		t.Errorf("the script names something outside: %s", script.body)
	}
	plain := s.get(t, "/docs/swagger-ui.css", "Accept-Encoding", "identity")
	packed := s.get(t, "/docs/swagger-ui.css", "Accept-Encoding", "br, gzip")
	if packed.header.Get("Content-Encoding") != "gzip" || len(packed.body) >= len(plain.body) || packed.header.Get("ETag") == plain.header.Get("ETag") {
		t.Errorf("%v %v", plain.header, packed.header)
	}
	if again := s.get(t, "/docs/swagger-ui.css", "Accept-Encoding", "gzip", "If-None-Match", packed.header.Get("ETag")); again.status != 304 {
		t.Errorf("%d", again.status)
	}
	assertProblem(t, s.get(t, "/docs/../../etc/passwd"), 404, "not_found")
	assertProblem(t, s.get(t, "/docs/page.html"), 404, "not_found")
}
