package fault_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// link is the network between a server and Postgres.
type link struct {
	proxy *toxiproxy.Proxy
}

func newLink(t testing.TB, database string) *link {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	l := &link{toxiproxy.NewProxy(api, "postgres", "127.0.0.1:0", at.Host)}
	if err := l.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.proxy.Stop)
	return l
}

// through is a database's URL by way of the link.
func (l *link) through(t testing.TB, database string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	at.Host = l.proxy.Listen
	return at.String()
}

// leadTo connects new connections to another server.
func (l *link) leadTo(t testing.TB, database string) {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.proxy.Update(&toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: at.Host, Enabled: true}); err != nil {
		t.Fatal(err)
	}
}

// loseAnswers lets nothing come back from Postgres; what is sent to it arrives. After ms the connections are closed on the
// server's side; never when 0.
func (l *link) loseAnswers(t testing.TB, ms int) {
	t.Helper()
	toxic := fmt.Sprintf(`{"name": "lost", "type": "timeout", "stream": "downstream", "attributes": {"timeout": %d}}`, ms)
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
}

// mend takes every fault away. Connections that lost something are closed.
func (l *link) mend(t testing.TB) {
	t.Helper()
	l.proxy.Toxics.ResetToxics(t.Context())
}
