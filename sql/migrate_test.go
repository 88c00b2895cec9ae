package sql_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"splitshop/domain"
	"splitshop/pgserver"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// appliedMigrations returns goose's table without its times.
func appliedMigrations(db *sqltest.DB) [][]string {
	return db.Query(`SELECT version_id, is_applied FROM goose_db_version ORDER BY id`)
}

// Case 16: five processes migrate at once, and each migration is applied once.
func TestFiveMigrateAtOnce(t *testing.T) {
	t.Parallel()
	db := sqltest.Empty(t)
	succeeded(t, race(5, func(int) error {
		return sql.Migrate(t.Context(), db.OwnerURL(), sql.MigrateOptions{Passwords: sqltest.Passwords()})
	}), nil)
	if diff := cmp.Diff(appliedMigrations(sqltest.New(t)), appliedMigrations(db)); diff != "" {
		t.Errorf("goose's table after one and after five at once (-one +five):\n%s", diff)
	}
	if n := db.Query(`SELECT count(*) FROM catalog.products`)[0][0]; n != strconv.Itoa(sql.DefaultProducts) {
		t.Errorf("%s products, want %d", n, sql.DefaultProducts)
	}
}

func TestMigrateAgainChangesNothing(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	if err := db.Admin().SetPrice(t.Context(), 5, domain.Cents(123456)); err != nil {
		t.Fatal(err)
	}
	state := func() [][]string {
		products := db.Query(`SELECT md5(string_agg(p::text, ',' ORDER BY id)) FROM catalog.products p`)
		return append(appliedMigrations(db), products...)
	}
	before := state()
	var log bytes.Buffer
	err := sql.Migrate(t.Context(), db.OwnerURL(), sql.MigrateOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("a second Migrate changed something (-before +after):\n%s", diff)
	}
	if log.Len() > 0 {
		t.Errorf("it had nothing to do and said:\n%s", &log)
	}
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	db := sqltest.Empty(t)
	for name, o := range map[string]sql.MigrateOptions{
		"too many products": {Products: sql.MaxProducts + 1},
		"unknown role":      {Passwords: map[string]string{"postgres": "p"}},
		"empty password":    {Passwords: map[string]string{sql.RoleCart: ""}},
		"other letters":     {Passwords: map[string]string{sql.RoleCart: "pässword"}},
	} {
		if err := sql.Migrate(t.Context(), db.OwnerURL(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if n := len(db.Query(`SELECT 1 FROM pg_namespace WHERE nspname = 'catalog'`)); n != 0 {
		t.Error("a refused Migrate began")
	}
}

// On a new cluster: databases that migrate at once make the same roles, no password reaches the server's log although it
// keeps every statement, and exactly the passwords given let in.
func TestRolesOfANewCluster(t *testing.T) {
	t.Parallel()
	logFile := filepath.Join(t.TempDir(), "log")
	server := startServer(t, pgserver.Options{
		Fast: true, LogFile: logFile, Settings: map[string]string{"log_statement": "all"},
	})
	passwords := func(n int) map[string]string {
		m := map[string]string{}
		for _, role := range sql.Roles() {
			m[role] = fmt.Sprintf("secret %d of %s'\\", n, role)
		}
		return m
	}
	var ours bytes.Buffer
	migrate := func(database string, passwords map[string]string) error {
		return sql.Migrate(t.Context(), server.SuperuserURL(database), sql.MigrateOptions{
			Passwords: passwords, Products: 10, Log: slog.New(slog.NewTextHandler(&lockedWriter{w: &ours}, nil)),
		})
	}
	const databases = 6
	for i := range databases {
		if _, err := server.Query(t.Context(), "postgres", fmt.Sprint("CREATE DATABASE d", i)); err != nil {
			t.Fatal(err)
		}
	}
	succeeded(t, race(databases, func(i int) error { return migrate(fmt.Sprint("d", i), passwords(1)) }), nil)

	login := func(role, password string) error {
		conn, err := pgx.Connect(t.Context(), server.URL("d0", role, password))
		if err != nil {
			return err
		}
		return conn.Close(t.Context())
	}
	check := func(good, bad map[string]string) {
		t.Helper()
		for _, role := range sql.Roles() {
			if err := login(role, good[role]); err != nil {
				t.Errorf("%s cannot log in: %v", role, err)
			}
			if code := sqlState(login(role, bad[role])); code != "28P01" {
				t.Errorf("%s with a wrong password: SQLSTATE %q, want 28P01", role, code)
			}
		}
	}
	check(passwords(1), passwords(2))
	if err := migrate("d1", passwords(2)); err != nil {
		t.Fatal(err)
	}
	check(passwords(2), passwords(1))
	if err := migrate("d1", nil); err != nil { // which leaves them
		t.Fatal(err)
	}
	check(passwords(2), passwords(1))

	theirs, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(theirs, []byte("ALTER ROLE shop_cart PASSWORD 'SCRAM-SHA-256$")) {
		t.Error("the server's log does not have the statements: this test proves nothing")
	}
	for name, log := range map[string][]byte{"the server's": theirs, "our": ours.Bytes()} {
		if i := bytes.Index(log, []byte("secret ")); i >= 0 {
			t.Errorf("a password is in %s log: %s", name, log[i:min(len(log), i+60)])
		}
	}
}

// startServer starts a server for one test.
func startServer(t *testing.T, o pgserver.Options) *pgserver.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := pgserver.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// sqlState returns the SQLSTATE of an error of Postgres, "" of any other.
func sqlState(err error) string {
	if e := new(pgconn.PgError); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The CHECK constraints repeat the domain's limits: the last good value passes, the next one does not.
func TestConstraintsAreTheDomainsLimits(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	conn, err := pgx.Connect(t.Context(), db.OwnerURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	const (
		product = `INSERT INTO catalog.products (name, price_amount, currency) VALUES ($1, $2, 'EUR')`
		cart    = `INSERT INTO cart.carts (id, lines) VALUES (gen_random_uuid(), $1)`
		item    = `WITH c AS (INSERT INTO cart.carts (id) VALUES (gen_random_uuid()) RETURNING id)
			INSERT INTO cart.items SELECT id, 1, $1 FROM c`
		order = `INSERT INTO orders.orders VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'EUR', now())`
	)
	longest := strings.Repeat("é", domain.MaxNameLength)
	tests := []struct {
		name      string
		statement string
		good, bad []any
	}{
		{"longest name", product, []any{longest, 1}, []any{longest + "é", 1}},
		{"shortest name", product, []any{"n", 1}, []any{"", 1}},
		{"highest price", product, []any{"n", domain.MaxPrice}, []any{"n", domain.MaxPrice + 1}},
		{"lowest price", product, []any{"n", 1}, []any{"n", 0}},
		{"most lines", cart, []any{domain.MaxLines}, []any{domain.MaxLines + 1}},
		{"fewest lines", cart, []any{0}, []any{-1}},
		{"most pieces", item, []any{domain.MaxQuantity}, []any{domain.MaxQuantity + 1}},
		{"fewest pieces", item, []any{1}, []any{0}},
		{"lowest total", order, []any{0}, []any{-1}},
	}
	for _, tt := range tests {
		if _, err := conn.Exec(t.Context(), tt.statement, tt.good...); err != nil {
			t.Errorf("%s: %v: %v", tt.name, tt.good, err)
		}
		if _, err := conn.Exec(t.Context(), tt.statement, tt.bad...); sqlState(err) != "23514" {
			t.Errorf("%s: %v: %v, want a check violation", tt.name, tt.bad, err)
		}
	}
}
