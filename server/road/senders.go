package road

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TokenPrefix begins every bearer token, so that a secret scanner knows one when it sees it.
const TokenPrefix = "umt_"

// SystemSender is the sender of the server's own commands (ExecuteFact). It has no token: no request can be it.
const SystemSender = "system"

// maxToken is longer than any token that was ever made.
const maxToken = 256

// NewToken makes a bearer token: 32 random bytes, and the sha256 under which the database knows it. Show the token once
// and forget it.
func NewToken() (token string, tokenSHA256 []byte) {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	token = TokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
	return token, tokenHash(token)
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Sender is who a token belongs to and what it may do.
type Sender struct {
	Name        string
	TokenSHA256 []byte   // goes into each Command, where the database checks it again
	Workflows   []string // nil: all
	Events      []string // references of subjects without a parent; nil: all
	MayAct      bool     // for an actor other than itself
	MayReadLog  bool
}

// ErrUnknownSender: the token is nobody's, or no longer valid.
var ErrUnknownSender = errors.New("the token is nobody's")

// Authenticate finds the sender of a bearer token. What it says may be SenderTTL old: enough for reads and for a quick
// no; for a command the database has the last word. Errors: ErrUnknownSender, *UnavailableError.
func (r *Road) Authenticate(ctx context.Context, token string) (Sender, error) {
	if token == "" || len(token) > maxToken {
		return Sender{}, ErrUnknownSender
	}
	hash := sha256.Sum256([]byte(token))
	if s, known, cached := r.senders.get(hash); cached {
		if !known {
			return Sender{}, ErrUnknownSender
		}
		return s, nil
	}
	s := Sender{TokenSHA256: hash[:]}
	err := r.readRow(ctx, senderStatement, []any{hash[:]}, &s.Name, &s.Workflows, &s.Events, &s.MayAct, &s.MayReadLog)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		r.senders.put(hash, nil)
		return Sender{}, ErrUnknownSender
	case err != nil:
		return Sender{}, fmt.Errorf("looking up a sender: %w", r.readError(ctx, err))
	}
	r.senders.put(hash, &s)
	return s, nil
}

// senderCache remembers for a short time whose a token is. Both kinds of entry are bounded, apart, so that a flood of
// wrong tokens does not push out the right ones.
type senderCache struct {
	ttl                  time.Duration
	maxKnown, maxUnknown int
	now                  func() time.Time
	mu                   sync.Mutex
	known                map[[32]byte]knownSender
	unknown              map[[32]byte]time.Time // until when
}

type knownSender struct {
	sender Sender
	until  time.Time
}

func newSenderCache(ttl time.Duration) *senderCache {
	return &senderCache{
		ttl: ttl, maxKnown: 10_000, maxUnknown: 10_000, now: time.Now,
		known: map[[32]byte]knownSender{}, unknown: map[[32]byte]time.Time{},
	}
}

func (s *senderCache) get(hash [32]byte) (sender Sender, known, cached bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if k, ok := s.known[hash]; ok && now.Before(k.until) {
		return k.sender, true, true
	}
	until, ok := s.unknown[hash]
	return Sender{}, false, ok && now.Before(until)
}

// put remembers a sender, or with nil that there is none.
func (s *senderCache) put(hash [32]byte, sender *Sender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	delete(s.known, hash)
	delete(s.unknown, hash)
	if sender == nil {
		makeRoom(s.unknown, s.maxUnknown, func(until time.Time) bool { return now.Before(until) })
		s.unknown[hash] = now.Add(s.ttl)
		return
	}
	makeRoom(s.known, s.maxKnown, func(k knownSender) bool { return now.Before(k.until) })
	s.known[hash] = knownSender{*sender, now.Add(s.ttl)}
}

// makeRoom drops, of a full map, what has expired, or anything when nothing has.
func makeRoom[V any](m map[[32]byte]V, limit int, alive func(V) bool) {
	if len(m) < limit {
		return
	}
	for k, v := range m {
		if !alive(v) {
			delete(m, k)
		}
	}
	for k := range m {
		if len(m) < limit {
			return
		}
		delete(m, k)
	}
}

// drop forgets a token after the database has said no to it.
func (s *senderCache) drop(tokenSHA256 []byte) {
	if len(tokenSHA256) != 32 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, [32]byte(tokenSHA256))
}

// NewSender is a sender to add.
type NewSender struct {
	Name        string // a-z 0-9 . _ - , at most 63, begins with a letter or digit
	TokenSHA256 []byte // from NewToken
	Workflows   []string
	Events      []string
	MayAct      bool
	MayReadLog  bool
}

// SenderInfo is a sender as operators see it.
type SenderInfo struct {
	Name          string
	Workflows     []string // nil: all
	Events        []string // nil: all
	MayAct        bool
	MayReadLog    bool
	CreatedAt     time.Time
	OldTokenUntil *time.Time // until when the token before the last rotation works; nil: never rotated
	DisabledAt    *time.Time // nil: may send
}

// AddSender adds a sender. conn is an operator's (umpire_ops) or the owner's. Errors: *BadArgumentError when the name is
// taken or cannot be one, or a workflow does not exist.
func AddSender(ctx context.Context, conn *pgx.Conn, s NewSender) error {
	_, err := conn.Exec(ctx, `select road.sender_add(p_sender => $1, p_token_sha256 => $2, p_workflows => $3, p_events => $4, `+
		`p_may_act => $5, p_may_read_log => $6)`, s.Name, s.TokenSHA256, s.Workflows, s.Events, s.MayAct, s.MayReadLog)
	return senderError("adding a sender", err)
}

// RotateSender gives a sender a new token and returns until when the present one still works (overlap from now). One that
// is older than that stops at once. Errors: ErrNotFound; *BadArgumentError for SystemSender.
func RotateSender(ctx context.Context, conn *pgx.Conn, name string, tokenSHA256 []byte, overlap time.Duration) (time.Time, error) {
	var until time.Time
	err := conn.QueryRow(ctx, `select road.sender_rotate(p_sender => $1, p_token_sha256 => $2, p_overlap => $3)`,
		name, tokenSHA256, overlap).Scan(&until)
	return until, senderError("rotating a sender's token", err)
}

// DisableSender shuts a sender out: its next command is refused. Errors: ErrNotFound; *BadArgumentError for SystemSender.
func DisableSender(ctx context.Context, conn *pgx.Conn, name string) error {
	_, err := conn.Exec(ctx, `select road.sender_disable(p_sender => $1)`, name)
	return senderError("disabling a sender", err)
}

// ListSenders lists all senders by name.
func ListSenders(ctx context.Context, conn *pgx.Conn) ([]SenderInfo, error) {
	rows, err := conn.Query(ctx, `select sender, workflows, events, may_act, may_read_log, created_at, old_token_until, disabled_at from road.sender_list()`)
	if err != nil {
		return nil, fmt.Errorf("listing senders: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (SenderInfo, error) {
		var s SenderInfo
		err := row.Scan(&s.Name, &s.Workflows, &s.Events, &s.MayAct, &s.MayReadLog, &s.CreatedAt, &s.OldTokenUntil, &s.DisabledAt)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("listing senders: %w", err)
	}
	return list, nil
}

func senderError(doing string, err error) error {
	if err == nil {
		return nil
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch pg.Code {
	case "UM002":
		return fmt.Errorf("%s: %w: %s", doing, ErrNotFound, pg.Message)
	case "UM003":
		return fmt.Errorf("%s: %w", doing, &BadArgumentError{Message: pg.Message})
	case "23514", "23502":
		return fmt.Errorf("%s: %w", doing, &BadArgumentError{
			Message: "a sender's name has 1 to 63 of a-z 0-9 . _ - and begins with a letter or digit; its token's sha256 has 32 bytes"})
	case "23505":
		return fmt.Errorf("%s: %w", doing, &BadArgumentError{Message: "this token is in use, or the sender was added a moment ago"})
	}
	return fmt.Errorf("%s: %w", doing, err)
}
