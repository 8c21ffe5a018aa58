package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// connectTimeout bounds one attempt to connect to a server that somebody else runs.
const connectTimeout = 10 * time.Second

// openURL checks that a server which somebody else runs is fit for use. It changes nothing there.
func openURL(ctx context.Context, connString string) (*Cluster, error) {
	config, err := pgx.ParseConfig(connString)
	if err != nil {
		// pgx leaves the password out of this error.
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	where := fmt.Sprintf("%s:%d/%s", config.Host, config.Port, config.Database)

	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code == "3D000" {
			return nil, fmt.Errorf("the server answers but has no database %q: create it (create database %s) or name another: %w",
				config.Database, pgx.Identifier{config.Database}.Sanitize(), err)
		}
		return nil, fmt.Errorf("no database answers at %s: %w", where, err)
	}
	defer closeConn(ctx, conn)

	version, err := checkServer(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("the database at %s: %w", where, err)
	}
	return &Cluster{URL: connString, Durable: true, Origin: OriginURL, Version: version}, nil
}

// checkServer returns server_version_num, or why the server cannot be used.
func checkServer(ctx context.Context, conn *pgx.Conn) (int, error) {
	var number, name, encoding string
	var standby bool
	err := conn.QueryRow(ctx, `
		select current_setting('server_version_num'), current_setting('server_version'),
		       current_setting('server_encoding'), pg_catalog.pg_is_in_recovery()`).
		Scan(&number, &name, &encoding, &standby)
	if err != nil {
		return 0, fmt.Errorf("asking for its version: %w", err)
	}
	version, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("server_version_num is %q: %w", number, err)
	}
	if version < MinVersion*10000 {
		return 0, fmt.Errorf("it is PostgreSQL %s; %d or newer is needed", name, MinVersion)
	}
	if standby {
		return 0, errors.New("it is a standby, which takes no writes: give the URL of the primary")
	}
	if encoding != "UTF8" {
		return 0, fmt.Errorf("its encoding is %s; UTF8 is needed (create database … encoding 'UTF8' template template0)", encoding)
	}
	return version, nil
}

// closeConn closes even when ctx is done already.
func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
