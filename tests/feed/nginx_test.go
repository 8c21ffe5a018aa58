package feed_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// nginx starts one with its defaults for proxies, and with compression of everything, in front of the server.
func nginx(t *testing.T, upstream string) string {
	t.Helper()
	program, err := osexec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed, so streams through a proxy are not tested here; apt-get install nginx-light brings it")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`
daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
    access_log off; gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;
    client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
    server { listen %[2]s; location / { proxy_pass %[3]s; } }
}`, dir, address, upstream)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(program, "-c", config, "-p", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waitFor(t, "nginx", func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// SS-08: through a proxy with its defaults the first byte comes at once, nothing is held back, nothing is compressed; and
// viewers that come back at random miss nothing.
func TestSS08ThroughNginx(t *testing.T) {
	b, _ := newBed(t, nil)
	proxy := nginx(t, b.web)
	conn := connect(t, b.url)
	before := len(allNotes(t, conn))
	s := mustOpen(t, proxy+"/notes", "")
	if got := s.response.Header; got.Get("Content-Encoding") != "identity" || !strings.HasPrefix(got.Get("Content-Type"), "text/event-stream") {
		t.Errorf("%v", got)
	}
	s.mustNext(t, "hello") // at once: nothing has happened yet
	direct := mustOpen(t, b.web+"/notes", "")
	if direct.response.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("no X-Accel-Buffering: no")
	}
	direct.close()
	start := b.must(t, http.MethodGet, "/subjects/event/cup", "")["position"].(string)
	n, viewers := size(60, 6000), size(3, 12)
	var reconnects atomic.Int64
	type end struct{ got []string }
	ended := make(chan end, viewers)
	for i := range cap(ended) {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		go func() {
			var got []string
			at := start
			for len(got) < n {
				s, err := open(t, proxy+"/notes?after="+at, "")
				if err != nil {
					t.Error(err)
					break
				}
				reconnects.Add(1)
				for range 1 + rng.IntN(12) {
					f, err := s.next()
					if err != nil {
						t.Error(err)
						break
					}
					if f.event == "note" {
						got, at = append(got, f.note(t)), f.id
						if len(got) == n {
							break
						}
					}
				}
				s.close()
				if t.Failed() {
					break
				}
			}
			ended <- end{got}
		}()
	}
	for i := range n {
		comment(t, conn, fmt.Sprintf("f%d", i%4), "x")
		if *soak && i%1000 == 0 {
			t.Logf("%d notes, %d reconnects", i, reconnects.Load())
		}
	}
	got, _ := s.mustRead(t, n)
	want := allNotes(t, conn)[before:]
	same(t, "the viewer that stays", got, want)
	for range cap(ended) {
		same(t, "a viewer that comes back", (<-ended).got, want)
	}
	s.close()
	t.Logf("%d notes, %d viewers, %d reconnects", n, viewers, reconnects.Load())
	if least := int64(size(10, 10_000)); reconnects.Load() < least {
		t.Errorf("%d reconnects, want at least %d", reconnects.Load(), least)
	}
}
