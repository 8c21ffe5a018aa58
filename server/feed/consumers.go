package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// StaleError: a position is from another cluster or timeline.
type StaleError struct{ Message string }

func (e *StaleError) Error() string { return e.Message }

// GoneError: the consumer has expired, or what it asks for was pruned.
type GoneError struct{ Message string }

func (e *GoneError) Error() string { return e.Message }

// BadError: an argument that cannot be. Its message holds no value that was given.
type BadError struct{ Message string }

func (e *BadError) Error() string { return e.Message }

// ErrNotAllowed: the sender may not read logs.
var ErrNotAllowed = errors.New("consumers are for senders that may read logs")

// ErrUnavailable: the database could not answer now.
var ErrUnavailable = errors.New("the database could not answer")

// ErrNoSender: there is no such sender.
var ErrNoSender = errors.New("there is no such sender")

// ErrNoConsumer: there is no such consumer, or it is another sender's.
var ErrNoConsumer = errors.New("there is no such consumer")

// Querier is a pool or a connection.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Consumers are the durable readers, whose positions the database keeps. An empty sender is an operator, who may see and
// move all of them. Every method may fail with ErrNoConsumer, ErrNoSender, *StaleError, *GoneError, *BadError,
// ErrNotAllowed or ErrUnavailable.
type Consumers struct {
	db Querier
}

// NewConsumers uses a pool or a connection whose role may execute the consumer functions (umpire_app, umpire_ops).
func NewConsumers(db Querier) *Consumers { return &Consumers{db} }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// List lists a sender's consumers.
func (c *Consumers) List(ctx context.Context, sender string) (json.RawMessage, error) {
	return c.ask(ctx, "listing consumers", `select road.consumer_list(p_sender => $1)::text`, orNull(sender))
}

// Create creates a consumer that begins now, or with the oldest note that is kept. Twice changes nothing.
func (c *Consumers) Create(ctx context.Context, sender, name string, fromStart bool, maxLag time.Duration) (json.RawMessage, error) {
	return c.ask(ctx, "creating a consumer", `select road.consumer_create(p_sender => $1, p_consumer => $2, p_from_start => $3, p_max_lag => $4)::text`,
		sender, name, fromStart, maxLag)
}

// Page reads the notes after the consumer's position, or with after and until a range; nothing moves.
func (c *Consumers) Page(ctx context.Context, sender, name string, limit int, after, until string) (json.RawMessage, error) {
	return c.ask(ctx, "reading a consumer's notes", `select road.consumer_page(p_sender => $1, p_consumer => $2, p_limit => $3, p_after => $4, p_until => $5)::text`,
		orNull(sender), name, limit, orNull(after), orNull(until))
}

// Acknowledge says that everything up to the position is safe with the consumer.
func (c *Consumers) Acknowledge(ctx context.Context, sender, name, position string) (json.RawMessage, error) {
	return c.ask(ctx, "acknowledging", `select road.consumer_acknowledge(p_sender => $1, p_consumer => $2, p_position => $3)::text`,
		orNull(sender), name, position)
}

// Rewind moves a consumer back, to the oldest note that is kept when position is empty.
func (c *Consumers) Rewind(ctx context.Context, sender, name, position string) (json.RawMessage, error) {
	return c.ask(ctx, "rewinding a consumer", `select road.consumer_rewind(p_sender => $1, p_consumer => $2, p_position => $3)::text`,
		orNull(sender), name, orNull(position))
}

// Drop forgets a consumer.
func (c *Consumers) Drop(ctx context.Context, sender, name string) error {
	_, err := c.ask(ctx, "dropping a consumer", `select road.consumer_drop(p_sender => $1, p_consumer => $2)::text`, orNull(sender), name)
	return err
}

func (c *Consumers) ask(ctx context.Context, doing, sql string, args ...any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, 35*time.Second) // longer than the pool's own limit, which gives an answer
	defer cancel()
	var body []byte
	err := c.db.QueryRow(ctx, sql, args...).Scan(&body)
	if err == nil {
		return body, nil
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", doing, ctx.Err())
		}
		return nil, fmt.Errorf("%s: %w", doing, ErrUnavailable)
	}
	switch pg.Code {
	case "UM002":
		if pg.Message == ErrNoConsumer.Error() {
			return nil, ErrNoConsumer
		}
		return nil, ErrNoSender
	case "UM003":
		return nil, &BadError{pg.Message}
	case "UM007":
		return nil, ErrNotAllowed
	case "UM020":
		return nil, &StaleError{pg.Message}
	case "UM021":
		return nil, &GoneError{pg.Message}
	case "23505":
		return nil, &BadError{"there is a consumer of this name already"}
	case "23514":
		return nil, &BadError{"a consumer's name has 1 to 63 of a-z 0-9 . _ - and begins with a letter or digit; its max lag is more than nothing"}
	case "55P03", "57014", "40P01", "57P01", "57P02", "57P03", "53300":
		return nil, fmt.Errorf("%s: %w", doing, ErrUnavailable)
	}
	return nil, fmt.Errorf("%s: unexpected database error, SQLSTATE %s", doing, pg.Code)
}
