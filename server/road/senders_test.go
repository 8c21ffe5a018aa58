package road

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestNewToken(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token, hash := NewToken()
		secret, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, "umt_"))
		want := sha256.Sum256([]byte(token))
		if err != nil || len(secret) != 32 || !strings.HasPrefix(token, "umt_") || !bytes.Equal(hash, want[:]) || seen[token] {
			t.Fatalf("%s: %v", token, err)
		}
		seen[token] = true
	}
}

func TestAuthenticate(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	now := time.Now()
	r.senders.now = func() time.Time { return now }

	s, err := r.Authenticate(t.Context(), w.token)
	if err != nil || !reflect.DeepEqual(s, w.sender) {
		t.Fatalf("%+v: %v", s, err)
	}
	for _, token := range []string{"", "umt_", w.token + "x", strings.Repeat("x", 100_000), "a\x00b", "\xff"} {
		if _, err := r.Authenticate(t.Context(), token); !errors.Is(err, ErrUnknownSender) {
			t.Errorf("%.20q: %v", token, err)
		}
	}

	// Disabled: the cache does not know, the database does, and then the cache does too.
	if err := DisableSender(t.Context(), w.ConnAs(t, "umpire_ops"), "desk"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Authenticate(t.Context(), w.token); err != nil {
		t.Fatalf("still in the cache: %v", err)
	}
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Refused, "sender_unknown")
	if _, err := r.Authenticate(t.Context(), w.token); !errors.Is(err, ErrUnknownSender) {
		t.Fatalf("after a refusal: %v", err)
	}

	// Both kinds of entry expire.
	w.exec(t, `update road.sender set disabled_at = null`)
	if _, err := r.Authenticate(t.Context(), w.token); !errors.Is(err, ErrUnknownSender) {
		t.Fatalf("still in the cache: %v", err)
	}
	now = now.Add(31 * time.Second)
	if _, err := r.Authenticate(t.Context(), w.token); err != nil {
		t.Fatalf("after the TTL: %v", err)
	}
}

func TestSenderCacheIsBounded(t *testing.T) {
	c := newSenderCache(time.Minute)
	c.maxKnown, c.maxUnknown = 10, 20
	for i := range 1000 {
		c.put(sha256.Sum256(fmt.Append(nil, "known", i)), &Sender{Name: "x"})
		c.put(sha256.Sum256(fmt.Append(nil, "unknown", i)), nil)
	}
	if len(c.known) != 10 || len(c.unknown) != 20 {
		t.Errorf("%d known, %d unknown", len(c.known), len(c.unknown))
	}
	if _, known, cached := c.get(sha256.Sum256([]byte("known999"))); !known || !cached {
		t.Error("the last known one is gone")
	}
	if _, known, cached := c.get(sha256.Sum256([]byte("unknown999"))); known || !cached {
		t.Error("the last unknown one is gone")
	}
}

func TestManageSenders(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, conn := range []*pgx.Conn{w.ConnAs(t, "umpire_ops"), w.ConnAs(t, "umpire_owner")} {
		name := "scorer-" + fmt.Sprint(conn.PgConn().PID())
		old, oldHash := NewToken()
		if err := AddSender(t.Context(), conn, NewSender{Name: name, TokenSHA256: oldHash, Workflows: []string{"football"}, Events: []string{"cup"}}); err != nil {
			t.Fatal(err)
		}
		s, err := r.Authenticate(t.Context(), old)
		if err != nil || s.Name != name || !reflect.DeepEqual(s.Workflows, []string{"football"}) || !reflect.DeepEqual(s.Events, []string{"cup"}) || s.MayAct || s.MayReadLog {
			t.Fatalf("%+v: %v", s, err)
		}
		var bad *BadArgumentError
		for _, n := range []NewSender{
			{Name: name, TokenSHA256: make([]byte, 32)}, {Name: "Not A Name", TokenSHA256: make([]byte, 32)},
			{Name: "short", TokenSHA256: []byte("short")}, {Name: "same-token", TokenSHA256: oldHash}, {Name: "no-token"},
			{Name: "x", TokenSHA256: make([]byte, 32), Workflows: []string{"nothing"}},
		} {
			if err := AddSender(t.Context(), conn, n); !errors.As(err, &bad) {
				t.Errorf("%+v: %v", n, err)
			}
		}
		fresh, freshHash := NewToken()
		until, err := RotateSender(t.Context(), conn, name, freshHash, time.Hour)
		if err != nil || time.Until(until) < 30*time.Minute {
			t.Fatalf("%s: %v", until, err)
		}
		for _, token := range []string{old, fresh} {
			if s, err := r.Authenticate(t.Context(), token); err != nil || s.Name != name {
				t.Errorf("%+v: %v", s, err)
			}
		}
		if _, err := RotateSender(t.Context(), conn, "nobody", make([]byte, 32), 0); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if err := DisableSender(t.Context(), conn, "nobody"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		if err := DisableSender(t.Context(), conn, name); err != nil {
			t.Error(err)
		}
		list, err := ListSenders(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		var found bool
		for _, s := range list {
			found = found || s.Name == name && s.DisabledAt != nil && s.OldTokenUntil != nil && !s.CreatedAt.IsZero()
		}
		if !found {
			t.Errorf("%+v", list)
		}
	}
}
