package road

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PoolName names one of the four pools.
type PoolName string

// The four pools.
const (
	CommandPool PoolName = "command" // people and scorers
	ImportPool  PoolName = "import"  // integration batches
	ReadPool    PoolName = "read"    // screens; read only
	WorkPool    PoolName = "work"    // readers of the outbox, deliverer, jobs, failures
)

// The named statements, each prepared once on every connection of its pool, so that a call is one round trip.
const (
	executeStatement  = "road_execute"
	batchStatement    = "road_execute_many"
	failureStatement  = "road_record_failure"
	readStatement     = "road_read"
	savedStatement    = "road_saved_command"
	senderStatement   = "road_sender_by_token"
	recoveryStatement = "road_in_recovery"
	readOnlyStatement = "road_read_only"
	factKeyStatement  = "road_fact_key"
)

const executeSQL = `select outcome, answer from road.execute(` +
	`p_sender => $1, p_workflow => $2, p_kind => $3, p_ref => $4, p_code => $5, p_command_id => $6, p_input => $7, ` +
	`p_saw => $8, p_actor => $9, p_sent_at => $10, p_token_sha256 => $11)`

const batchSQL = `select item, outcome, answer from road.execute_many(p_commands => $1)`

// poolKind is what belongs to a pool whatever the options say.
type poolKind struct {
	name       PoolName
	role       string
	parameters map[string]string
	statements map[string]string
}

// poolKinds is the one place that says which role a pool takes, which parameters it sets besides its limits, and what it
// prepares.
func poolKinds() []poolKind {
	const durable = "synchronous_commit"
	// A statement that may run for longer than a command looks whether anybody waits for it still: a batch whose server is
	// gone gives its subjects back within seconds, not after half a minute. A command is over by then anyway, and one that
	// runs to its end is found by the resend.
	const orphan, every = "client_connection_check_interval", "2000"
	execute := map[string]string{executeStatement: executeSQL}
	return []poolKind{
		{CommandPool, "umpire_app", map[string]string{durable: "on"}, execute},
		{ImportPool, "umpire_app", map[string]string{durable: "on", orphan: every}, map[string]string{executeStatement: executeSQL, batchStatement: batchSQL}},
		{ReadPool, "umpire_app", map[string]string{"default_transaction_read_only": "on"}, map[string]string{
			readStatement:     `select road.read(p_kind => $1, p_ref => $2, p_view => $3, p_after => $4, p_max_items => $5, p_sender => $6)`,
			savedStatement:    `select road.saved_command(p_sender => $1, p_command_id => $2, p_actor => $3)`,
			senderStatement:   `select sender, workflows, events, may_act, may_read_log from road.sender_by_token(p_token_sha256 => $1)`,
			recoveryStatement: `select pg_is_in_recovery()`,
		}},
		{WorkPool, "umpire_app", map[string]string{orphan: every}, map[string]string{
			failureStatement: `select road.record_failure(p_sender => $1, p_actor => $2, p_command_id => $3, ` +
				`p_workflow => $4, p_code => $5, p_sqlstate => $6, p_error => $7)`,
			readOnlyStatement: `select current_setting('transaction_read_only') = 'on'`,
			factKeyStatement:  `select road.fact_key(p_workflow => $1, p_code => $2, p_kind => $3, p_ref => $4, p_fact => $5)`,
		}},
	}
}

// runtimeParams are what rides on the startup packet of every connection of the pool, in the units of pg_settings.
func (k poolKind) runtimeParams(o PoolOptions) map[string]string {
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	params := map[string]string{
		"application_name":                    "umpire:" + string(k.name),
		"role":                                k.role,
		"search_path":                         "pg_catalog, pg_temp",
		"default_transaction_isolation":       "read committed",
		"timezone":                            "UTC",
		"lock_timeout":                        ms(o.LockTimeout),
		"statement_timeout":                   ms(o.StatementTimeout),
		"idle_in_transaction_session_timeout": ms(o.IdleInTransaction),
		// A host that falls silent says no goodbye, and no limit of Postgres counts while a session waits for the end of a
		// command or for room to write the answer (docs/road.md, "A silent host"). The kernel of the database's host gives
		// the connection up after 4 s: probes after 2 s and then each second, or data that stays unacknowledged. The last
		// one counts on systems that have no tcp_user_timeout: 5 s.
		"tcp_keepalives_idle":     "2",
		"tcp_keepalives_interval": "1",
		"tcp_keepalives_count":    "3",
		"tcp_user_timeout":        "4000",
	}
	for name, value := range k.parameters {
		params[name] = value
	}
	return params
}

// laterParams are set when the connection is there, where the server has them: a startup packet with a name that the
// server does not know is turned away. transaction_timeout came with 17.
func (k poolKind) laterParams(o PoolOptions) map[string]string {
	return map[string]string{
		// After the statement's limit, before the call's own.
		"transaction_timeout": strconv.FormatInt((o.StatementTimeout + 500*time.Millisecond).Milliseconds(), 10),
	}
}

// pool is a pgxpool whose connections all carry the same limits.
type pool struct {
	*pgxpool.Pool
	kind       poolKind
	options    PoolOptions
	generation atomic.Uint64 // counts resets
}

// Keys of what a connection remembers about itself.
const (
	generationKey = "umpire_generation" // uint64: the pool's resets before it was made
	syncWaitKey   = "umpire_sync_wait"  // set: a wait for the standby was cancelled
)

func openPool(ctx context.Context, o Options, k poolKind, po PoolOptions) (*pool, error) {
	c, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		// The driver's error quotes the connection string.
		return nil, errors.New("the database URL cannot be read")
	}
	p := &pool{kind: k, options: po}
	params := k.runtimeParams(po)

	c.MaxConns = po.MaxConns
	c.MinConns = 0
	c.MinIdleConns = 0
	c.MaxConnLifetime = time.Hour
	c.MaxConnLifetimeJitter = 10 * time.Minute
	c.MaxConnIdleTime = 10 * time.Minute
	// A ping would be a second round trip. A connection that died while idle is found by its next command.
	c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	for name, value := range params {
		c.ConnConfig.RuntimeParams[name] = value
	}
	c.ConnConfig.OnNotice = noteSyncWait
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[generationKey] = p.generation.Load()
		later, err := setParams(ctx, conn, k.laterParams(po))
		if err != nil {
			return err
		}
		maps.Copy(later, params)
		if err := checkParams(ctx, conn, later); err != nil {
			return err
		}
		for name, sql := range k.statements {
			if _, err := conn.Prepare(ctx, name, sql); err != nil {
				return fmt.Errorf("preparing %s: %w", name, err)
			}
		}
		return nil
	}
	if o.configure != nil {
		o.configure(k.name, c)
	}
	if p.Pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, fmt.Errorf("making the pool: %w", err)
	}
	return p, nil
}

// setParams sets those that the server has, and returns them.
func setParams(ctx context.Context, conn *pgx.Conn, params map[string]string) (map[string]string, error) {
	set := map[string]string{}
	for name, value := range params {
		done, err := conn.Exec(ctx, `select pg_catalog.set_config(s.name, $2, false) from pg_catalog.pg_settings s where s.name = $1`, name, value)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		if done.RowsAffected() > 0 {
			set[name] = value
		}
	}
	return set, nil
}

// checkParams reads the values back: a pooler in between may drop what the startup packet asks for. What TCP has and a
// Unix socket has not is 0 there, and only Linux has tcp_user_timeout.
func checkParams(ctx context.Context, conn *pgx.Conn, want map[string]string) error {
	names := make([]string, 0, len(want))
	for name := range want {
		names = append(names, name)
	}
	// pg_settings knows no role; a name that it does not list is asked for by itself.
	rows, err := conn.Query(ctx, `
		select n.name, coalesce(s.setting, pg_catalog.current_setting(n.name))
		from pg_catalog.unnest($1::text[]) n (name)
		left join pg_catalog.pg_settings s on pg_catalog.lower(s.name) = n.name
		where not (n.name like 'tcp\_%' and pg_catalog.inet_client_addr() is null)
			and not (n.name = 'tcp_user_timeout' and pg_catalog.version() not like '%linux%')`, names)
	if err != nil {
		return fmt.Errorf("reading the connection's settings back: %w", err)
	}
	var name, is string
	var wrong []string
	_, err = pgx.ForEachRow(rows, []any{&name, &is}, func() error {
		if is != want[name] {
			wrong = append(wrong, fmt.Sprintf("%s is %q, not %q", name, is, want[name]))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the connection's settings back: %w", err)
	}
	if wrong != nil {
		return &SettingsError{Wrong: wrong}
	}
	return nil
}

// SettingsError is why a connection was not taken into its pool: it does not have the limits that were asked for.
type SettingsError struct {
	// Wrong has one entry per setting: its name, its value and the one that was asked for.
	Wrong []string
}

func (e *SettingsError) Error() string {
	return "the connection has other settings than its startup packet asked for (is there a pooler in between that drops them?): " +
		strings.Join(e.Wrong, "; ")
}

// noteSyncWait sees the warning that a commit was not waited for: it is done here, but perhaps not on the standby.
func noteSyncWait(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" || strings.HasPrefix(n.Message, "canceling wait for synchronous replication") ||
		strings.HasPrefix(n.Message, "canceling the wait for synchronous replication") {
		c.CustomData()[syncWaitKey] = true
	}
}

// resetFrom closes all connections of the pool because c, one of them, is no good any more. Of many that fail together
// the first does it and is told true; the others were made before that reset.
func (p *pool) resetFrom(c *pgconn.PgConn) bool {
	born, _ := c.CustomData()[generationKey].(uint64)
	if !p.generation.CompareAndSwap(born, born+1) {
		return false
	}
	p.Reset()
	return true
}

func (p *pool) resetNow() {
	p.generation.Add(1)
	p.Reset()
}

// callTime is how long one call may take as seen from here: longer than anything Postgres allows it, so that Postgres's
// limit strikes first and gives an answer.
func (p *pool) callTime() time.Duration { return p.options.StatementTimeout + time.Second }

// try acquires one connection and gives it back: proof that the pool can have one with its settings.
func (p *pool) try(ctx context.Context) error {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connecting pool %s: %w", p.kind.name, err)
	}
	conn.Release()
	return nil
}
