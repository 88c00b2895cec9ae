package sql

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The login roles that Migrate makes: one for each service, which sees that service's schema only, and the monolith's,
// which sees all three.
const (
	RoleMonolith = "shop_monolith"
	RoleCatalog  = "shop_catalog"
	RoleCart     = "shop_cart"
	RoleOrders   = "shop_orders"
)

// Roles returns the names of the login roles that Migrate makes.
func Roles() []string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.name
	}
	return names
}

type role struct {
	name    string
	schemas []string
}

var roles = []role{
	{RoleMonolith, []string{"catalog", "cart", "orders"}},
	{RoleCatalog, []string{"catalog"}},
	{RoleCart, []string{"cart"}},
	{RoleOrders, []string{"orders"}},
}

func findRole(name string) (role, bool) {
	i := slices.IndexFunc(roles, func(r role) bool { return r.name == name })
	if i < 0 {
		return role{}, false
	}
	return roles[i], true
}

// privileges are all that a role of a schema may do there. What is not needed is not given: a product and a cart are never
// deleted, since orders name them, and an order stays as it was placed.
var privileges = map[string]string{
	"catalog": `
		GRANT SELECT, INSERT, UPDATE ON catalog.products TO %[1]s;`,
	"cart": `
		GRANT SELECT, INSERT, UPDATE ON cart.carts TO %[1]s;
		GRANT SELECT, INSERT, UPDATE, DELETE ON cart.items TO %[1]s;`,
	"orders": `
		GRANT SELECT, INSERT ON orders.orders, orders.lines TO %[1]s;`,
}

// settings are what a role's sessions start with: a statement ends before the request that waits for it does,
// and one that waits for a lock also before a call between services, so that its caller hears that nothing was done.
func (r role) settings() [][2]string {
	return [][2]string{
		{"statement_timeout", "5s"},
		{"lock_timeout", "1500ms"},
		{"idle_in_transaction_session_timeout", "10s"},
		{"search_path", strings.Join(r.schemas, ", ")},
	}
}

// makeRoles makes the login roles as they should be, whatever is missing of them.
func makeRoles(ctx context.Context, conn *pgx.Conn, passwords map[string]string) error {
	for _, r := range roles {
		if err := makeRole(ctx, conn, r, passwords[r.name]); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	_, err := conn.Exec(ctx, grants(conn.Config().Database)) // several statements without parameters: one transaction
	return err
}

// makeRole makes a role and gives it its password ("": the one it has) and settings.
func makeRole(ctx context.Context, conn *pgx.Conn, r role, password string) error {
	var have []string // "name=value"
	err := conn.QueryRow(ctx, `SELECT COALESCE(rolconfig, '{}') FROM pg_roles WHERE rolname = $1`, r.name).Scan(&have)
	if errors.Is(err, pgx.ErrNoRows) {
		err = execShared(ctx, conn, "CREATE ROLE "+r.name+" LOGIN NOCREATEDB NOCREATEROLE NOINHERIT")
	}
	if err != nil {
		return err
	}
	if password != "" {
		v, err := verifier(password)
		if err != nil {
			return err
		}
		if err := execShared(ctx, conn, fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", r.name, v)); err != nil {
			return err
		}
	}
	for _, s := range r.settings() {
		if slices.Contains(have, s[0]+"="+s[1]) {
			continue
		}
		value := "'" + s[1] + "'"
		if s[0] == "search_path" {
			value = s[1] // a list of names, not one name with commas
		}
		if err := execShared(ctx, conn, fmt.Sprintf("ALTER ROLE %s SET %s = %s", r.name, s[0], value)); err != nil {
			return err
		}
	}
	return nil
}

// execShared runs a statement about a role. Roles belong to the whole cluster, where migrations of other databases may
// make and change the same ones at this moment: then it tries again, and a role that exists meanwhile is as good.
func execShared(ctx context.Context, conn *pgx.Conn, statement string) error {
	const (
		duplicateObject = "42710"
		uniqueViolation = "23505"
		internalError   = "XX000" // "tuple concurrently updated"
		attempts        = 20
	)
	for attempt := 1; ; attempt++ {
		_, err := conn.Exec(ctx, statement)
		e := new(pgconn.PgError)
		switch {
		case !errors.As(err, &e):
			return err // nil as well
		case e.Code == duplicateObject, e.Code == uniqueViolation:
			return nil
		case e.Code != internalError || attempt == attempts:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(attempt) * 5 * time.Millisecond):
		}
	}
}

// grants returns the statements that leave each role with its privileges in this database, and everybody else with none.
func grants(database string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "REVOKE ALL ON SCHEMA public FROM PUBLIC; REVOKE TEMPORARY ON DATABASE %s FROM PUBLIC;\n",
		pgx.Identifier{database}.Sanitize())
	for _, r := range roles {
		for _, schema := range []string{"public", "catalog", "cart", "orders"} {
			fmt.Fprintf(&b, "REVOKE ALL ON SCHEMA %[2]s FROM %[1]s; REVOKE ALL ON ALL TABLES IN SCHEMA %[2]s FROM %[1]s;\n",
				r.name, schema)
		}
		// The version table, so that Pool.Ready can compare.
		fmt.Fprintf(&b, "GRANT USAGE ON SCHEMA public TO %[1]s; GRANT SELECT ON %[2]s TO %[1]s;\n", r.name, versionTable)
		for _, schema := range r.schemas {
			fmt.Fprintf(&b, "GRANT USAGE ON SCHEMA %s TO %s;", schema, r.name)
			fmt.Fprintf(&b, privileges[schema]+"\n", r.name)
		}
	}
	return b.String()
}

// verifier returns what Postgres keeps of a password (RFC 5803), so that the password itself never travels in a statement
// that a log might show.
func verifier(password string) (string, error) {
	const iterations = 4096 // Postgres's own number
	salt := make([]byte, 16)
	rand.Read(salt) // never fails: crypto/rand ends the program instead
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(mac("Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, b64(salt), b64(stored[:]), b64(mac("Server Key"))), nil
}

// printableASCII is what passwords are made of: for anything else SCRAM wants a normal form (RFC 8265), which clients
// compute differently.
func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}
