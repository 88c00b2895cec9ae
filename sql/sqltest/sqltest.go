// Package sqltest gives each test a Postgres database of its own.
//
// It owns one throw-away server per test process and on it one template, migrated and seeded once; a test's database is a
// copy of the template and gone when the test ends. It knows how to reach a database as each of the shop's roles, and
// nothing of what tests do there. A test binary that uses it calls Main from TestMain.
package sqltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"splitshop/pgserver"
	"splitshop/sql"
)

const (
	template = "shop"          // the database that others are copied from
	startIn  = 2 * time.Minute // a server with its template, on a machine busy with other tests
)

// cluster is a server with the template.
type cluster struct {
	start     func() (*pgserver.Server, error) // the server, started by the first call
	started   *pgserver.Server                 // nil: no test asked for it
	databases atomic.Int64
}

// shared is the test process's one cluster, made by Main.
var shared *cluster

// Main runs a package's tests, stops the server if one was started, and exits. Call it from TestMain.
func Main(m *testing.M) {
	shared = &cluster{}
	shared.start = sync.OnceValues(func() (*pgserver.Server, error) {
		ctx, cancel := context.WithTimeout(context.Background(), startIn)
		defer cancel()
		s, err := pgserver.Start(ctx, pgserver.Options{
			Fast:     true, // nothing here is about speed or crashes of the machine
			Settings: map[string]string{"max_connections": "400"},
		})
		if err != nil {
			return nil, err
		}
		shared.started = s
		return s, makeTemplate(ctx, s)
	})
	code := m.Run()
	if shared.started != nil {
		if err := shared.started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "sqltest: stopping the server:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func makeTemplate(ctx context.Context, s *pgserver.Server) error {
	if _, err := s.Query(ctx, "postgres", "CREATE DATABASE "+template); err != nil {
		return err
	}
	if err := sql.Migrate(ctx, s.SuperuserURL(template), sql.MigrateOptions{Passwords: Passwords()}); err != nil {
		return fmt.Errorf("the template: %w", err)
	}
	return nil
}

// Passwords are those of the shop's roles on this process's server.
func Passwords() map[string]string {
	passwords := map[string]string{}
	for _, role := range sql.Roles() {
		passwords[role] = password(role)
	}
	return passwords
}

func password(role string) string { return "test-password-of-" + role }

// DB is one test's database.
type DB struct {
	Name   string
	server *pgserver.Server
	t      testing.TB
}

// New returns a database with the schema, the roles and a catalogue of sql.DefaultProducts. It is dropped when t ends.
func New(t testing.TB) *DB {
	t.Helper()
	return create(t, " TEMPLATE "+template)
}

// Empty returns a database without anything in it, for tests of migrations. It is dropped when t ends.
func Empty(t testing.TB) *DB {
	t.Helper()
	return create(t, "")
}

func create(t testing.TB, from string) *DB {
	t.Helper()
	if shared == nil {
		t.Fatal("sqltest: call sqltest.Main(m) from TestMain")
	}
	server, err := shared.start()
	if err != nil {
		t.Fatalf("sqltest: %v", err)
	}
	db := &DB{Name: fmt.Sprintf("test_%d", shared.databases.Add(1)), server: server, t: t}
	db.admin(t.Context(), "CREATE DATABASE "+db.Name+from)
	t.Cleanup(func() { db.admin(context.Background(), "DROP DATABASE "+db.Name+" WITH (FORCE)") })
	return db
}

func (db *DB) admin(ctx context.Context, statement string) {
	db.t.Helper()
	if _, err := db.server.Query(ctx, "postgres", statement); err != nil {
		db.t.Fatalf("sqltest: %s: %v", statement, err)
	}
}

// URL is the database's address for one of the shop's roles.
func (db *DB) URL(role string) string { return db.server.URL(db.Name, role, password(role)) }

// OwnerURL is the database's address for its owner.
func (db *DB) OwnerURL() string { return db.server.SuperuserURL(db.Name) }

// Query runs one statement as the owner and returns its rows as text.
func (db *DB) Query(statement string) [][]string {
	db.t.Helper()
	rows, err := db.server.Query(db.t.Context(), db.Name, statement)
	if err != nil {
		db.t.Fatalf("sqltest: %s: %v", statement, err)
	}
	return rows
}

// Pool opens a pool as one of the shop's roles and waits until it is ready. It is closed when the test ends.
func (db *DB) Pool(role string, conns int) *sql.Pool {
	db.t.Helper()
	p, err := sql.Open(db.t.Context(), sql.Config{URL: db.URL(role), MaxConns: conns})
	if err != nil {
		db.t.Fatalf("sqltest: %v", err)
	}
	db.t.Cleanup(p.Close)
	if err := AwaitReady(db.t.Context(), p, 30*time.Second); err != nil {
		db.t.Fatalf("sqltest: %v", err)
	}
	return p
}

// Admin changes the catalogue behind the shop's back, as the catalogue's own role. It is a domaintest.Admin.
func (db *DB) Admin() *sql.Catalog {
	db.t.Helper()
	return sql.NewCatalog(db.Pool(sql.RoleCatalog, 2))
}

// AwaitReady polls a pool until it is ready, for at most the given time.
func AwaitReady(ctx context.Context, p *sql.Pool, atMost time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, atMost, errors.New("not ready in time"))
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := p.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}
