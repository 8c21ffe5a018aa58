package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 0.95: 5, 1: 5} {
		if got := quantile(slices.Clone(values), q); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
}

// The figure is never better than what was seen allows.
func TestHeldIsAnUpperBound(t *testing.T) {
	begun := time.Now()
	l := &lockSampler{seen: map[string][2]int{"one look": {2, 2}, "three looks": {1, 3}}}
	for _, ms := range []int{0, 2, 4, 6, 16} {
		l.looks = append(l.looks, begun.Add(time.Duration(ms)*time.Millisecond))
	}
	held, gap := l.held(4)
	slices.Sort(held)
	// 2 to 6; 0 to 16; two that nobody saw fit into the longest gaps, 10 and 2.
	if want := []float64{2, 4, 10, 16}; !slices.Equal(held, want) || gap != 2 {
		t.Errorf("%v, a look every %v ms; want %v", held, gap, want)
	}
}

func TestWireCountsTrips(t *testing.T) {
	message := func(kind byte, content string) []byte {
		m := binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(content)))
		return append(m, content...)
	}
	startup := append(binary.BigEndian.AppendUint32(nil, 8), 0, 3, 0, 0)
	for name, c := range map[string]struct {
		messages [][]byte
		trips    int64
	}{
		"a prepared call":         {[][]byte{message('B', "x"), message('D', "y"), message('E', "z"), message('S', "")}, 1},
		"a simple query":          {[][]byte{message('Q', "select 1")}, 1},
		"two in a pipeline":       {[][]byte{message('B', ""), message('S', ""), message('B', ""), message('S', "")}, 2},
		"the end of a connection": {[][]byte{message('X', "")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			sent := append(slices.Clone(startup), bytes.Join(c.messages, nil)...)
			var got bytes.Buffer
			w := &wire{}
			if err := w.forward(bytes.NewReader(sent), &got); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if !bytes.Equal(got.Bytes(), sent) {
				t.Errorf("%x was passed on as %x", sent, got.Bytes())
			}
			if n := w.trips.Load(); n != c.trips {
				t.Errorf("%d trips, want %d", n, c.trips)
			}
		})
	}
}
