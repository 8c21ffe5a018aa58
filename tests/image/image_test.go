package main

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMirror(t *testing.T) {
	const deb822 = "Types: deb\n# http://old.example/debian\nURIs: http://packages.example/debian\nSuites: stable\n"
	for name, c := range map[string]struct {
		files map[string]string
		said  string
		want  string
	}{
		"said":                {map[string]string{"etc/apt/sources.list": "deb http://a.example/debian x main"}, "http://b.example/debian", "http://b.example/debian"},
		"one line":            {map[string]string{"etc/apt/sources.list": "# deb http://no.example/debian x\ndeb [arch=amd64] http://a.example/debian x main"}, "", "http://a.example/debian"},
		"deb822":              {map[string]string{"etc/apt/sources.list.d/debian.sources": deb822}, "", "http://packages.example/debian"},
		"other archives":      {map[string]string{"etc/apt/sources.list": "deb http://a.example/debian-security x main\ndeb http://a.example/ubuntu x main"}, "", ""},
		"other before":        {map[string]string{"etc/apt/sources.list.d/a.list": "deb http://a.example/node x main", "etc/apt/sources.list.d/b.list": "deb https://b.example/debian/ x main"}, "", "https://b.example/debian/"},
		"sources of a source": {map[string]string{"etc/apt/sources.list": "deb-src http://a.example/debian x main"}, "", ""},
		"nothing":             {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for file, text := range c.files {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
			got, err := mirror(root, c.said)
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("got %q %v, want %q", got, err, c.want)
			}
		})
	}
}

// A changed recipe makes another image, an unchanged one does not.
func TestRecipe(t *testing.T) {
	one := recipe("17", []byte("a"), []byte("b"))
	if again := recipe("17", []byte("a"), []byte("b")); again != one {
		t.Errorf("%s, then %s", one, again)
	}
	for name, other := range map[string]string{
		"version": recipe("18", []byte("a"), []byte("b")),
		"text":    recipe("17", []byte("a"), []byte("c")),
		"border":  recipe("17", []byte("ab"), nil),
	} {
		if other == one {
			t.Errorf("another %s gives the same name", name)
		}
	}
}

func TestShow(t *testing.T) {
	var out strings.Builder
	n, err := show(&out, strings.NewReader(`{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Test":"A","Output":"said by A\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"said by B\n"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"said by C\n"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"output","Package":"p","Test":"D","Output":"panic: of D\n"}
{"Action":"output","Package":"p","Output":"FAIL p\n"}
{"Action":"fail","Package":"p"}
not JSON
`))
	if err != nil || n != (counts{passed: 1, failed: 2, skipped: 1}) {
		t.Errorf("got %+v %v", n, err)
	}
	for text, want := range map[string]bool{"said by A": false, "said by B": true, "said by C": true, "panic: of D": true, "FAIL p": true, "not JSON": true} {
		if strings.Contains(out.String(), text) != want {
			t.Errorf("%q shown: %v\n%s", text, !want, out.String())
		}
	}
}

// Without an engine there is nothing to do, which is no failure; an unknown version is one.
func TestWithoutAnEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	if err := run(context.Background(), []string{"17"}, nil, false); err != nil {
		t.Error(err)
	}
	if err := run(context.Background(), []string{"9"}, nil, false); err == nil {
		t.Error("there is no recipe for 9")
	}
}
