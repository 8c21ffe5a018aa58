package acceptance_test

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"umpire/client"
	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// knownErrors are the records of openfootball that contradict the plays, and what of them: its own goals, and those of the
// same matches as the tables tell them.
var knownErrors = map[string]string{
	"worldcup-2018-japan-poland-2018-06-28":     "periods/H1/away",
	"worldcup-2018-senegal-colombia-2018-06-28": "periods/H1/away",
	"table-M-2018-45":                           "periods/H1/away",
	"table-M-2018-46":                           "periods/H1/away",
	"euro-2020-ukraine-england-2021-07-03":      "away home periods/H1/away periods/H1/home periods/H2/away periods/H2/home", // its goal lists are swapped
}

func TestAcceptance(t *testing.T) {
	data := os.Getenv("DATA")
	if data == "" {
		t.Skip("needs the raw data: make acceptance DATA=<folder>; what the folder holds is said in this package's comment")
	}
	u := start(t)
	dir := t.TempDir()

	bundles, err := filepath.Glob(filepath.Join(data, "football-bundles", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]string{"bundles": bundles}
	add := func(group string, matches []match) {
		if err := os.MkdirAll(filepath.Join(dir, group), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, m := range matches {
			files[group] = append(files[group], write(t, filepath.Join(dir, group), m))
		}
	}
	// Bundles and tables tell some of the same matches, under the same references.
	tables := fjelstul(t, data)
	for i := range tables {
		tables[i].Fixture.Ref = "table-" + tables[i].Fixture.Ref
	}
	claimed, said := map[string]match{}, map[string]*command{} // by reference; by what two providers have in common
	for folder, name := range map[string]string{"worldcup-2014": "worldcup.json", "worldcup-2018": "worldcup.json", "euro-2020": "euro.json"} {
		matches := openfootball(t, data, folder, name)
		add(folder, matches)
		for _, m := range matches {
			claimed[m.Fixture.Ref] = m
			said[m.key()] = m.claim
		}
	}
	for i := range tables {
		if c := said[tables[i].key()]; c != nil {
			tables[i].claims(*c)
			claimed[tables[i].Fixture.Ref] = tables[i]
		}
	}
	add("tables", tables)
	if want := 64 + 64 + 51 + 64; len(claimed) != want {
		t.Fatalf("%d matches with claims, want %d", len(claimed), want)
	}

	for group, want := range map[string]int{"bundles": 4, "tables": 64, "worldcup-2014": 64, "worldcup-2018": 64, "euro-2020": 51} {
		t.Run(group, func(t *testing.T) {
			if len(files[group]) != want {
				t.Fatalf("%d files, want %d", len(files[group]), want)
			}
			arguments := files[group]
			if group == "bundles" {
				arguments = append([]string{"--senders", "2"}, arguments...)
			}
			if out, err := u.run("replay", arguments...); err != nil {
				t.Errorf("replay: %v\n%s", err, out)
			}
			out, err := u.run("verify", files[group]...)
			if err != nil || !strings.Contains(out, fmt.Sprintf("%d of %[1]d matches", want)) {
				t.Errorf("verify: %v\n%s", err, out)
			}
			t.Logf("%d matches replayed and compared", want)
		})
	}

	t.Run("conflicts", func(t *testing.T) {
		found := map[string]string{}
		for ref := range claimed {
			var view struct {
				Data struct {
					Items []struct {
						At string `json:"at"`
					} `json:"items"`
				} `json:"data"`
			}
			if err := u.client.Read(t.Context(), "fixture", ref, "conflicts", &view); err != nil {
				t.Fatal(err)
			}
			for _, c := range view.Data.Items {
				found[ref] = strings.TrimPrefix(found[ref]+" "+c.At, " ")
			}
		}
		if !maps.Equal(found, knownErrors) {
			t.Errorf("of %d matches, conflicts in %v, want %v", len(claimed), found, knownErrors)
		}
		t.Logf("%d matches with claims, conflicts in %v", len(claimed), slices.Sorted(maps.Keys(found)))
	})
}

// umpire is the binary, and a server of it.
type umpire struct {
	binary, url, token string
	client             *client.Client
}

// start serves a database of the harness, whose invariants (a replay of every fixture) are asked at
// the end of the test.
func start(t *testing.T) *umpire {
	t.Helper()
	db := harness.New(t)
	u := &umpire{binary: harness.Binary(t), url: "http://" + freeAddress(t)}
	token, err := exec.Command(u.binary, "sender", "add", "acceptance", "--database-url", db.URL()).Output()
	if err != nil {
		t.Fatalf("adding the sender: %v", err)
	}
	u.token = strings.TrimSpace(string(token))
	u.client = &client.Client{BaseURL: u.url, Token: u.token}

	var log bytes.Buffer
	serve := exec.Command(u.binary, "serve", "--listen", strings.TrimPrefix(u.url, "http://"), "--database-url", db.URL())
	serve.Stdout, serve.Stderr = &log, &log
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil || t.Failed() {
			t.Logf("the server: %v\n%.3000s", err, log.String())
		}
	})
	for deadline := time.Now().Add(30 * time.Second); ; {
		response, err := http.Get(u.url + "/ready")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return u
			}
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the server ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server is not ready: %v", err)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// run runs the binary against the server; what it prints about its progress is part of the error only.
func (u *umpire) run(subcommand string, arguments ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(u.binary, append([]string{subcommand, "--url", u.url, "--token", u.token}, arguments...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		_, after, _ := strings.Cut(errs.String(), "umpire: ")
		return out.String(), fmt.Errorf("%w: %.3000s", err, after)
	}
	return out.String(), nil
}
