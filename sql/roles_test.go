package sql_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"splitshop/sql"
	"splitshop/sql/sqltest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each login against each table and each privilege. A dot is a privilege that the role does not have.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	db := sqltest.Empty(t) // and not a copy: a database's own privileges are not copied
	err := sql.Migrate(t.Context(), db.OwnerURL(), sql.MigrateOptions{Products: 1})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/roles.golden"
	got := roleMatrix(db)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("privileges are not those of %s; if that is meant: go test ./sql -run RoleMatrix -update\n%s", golden, diff)
	}
}

func roleMatrix(db *sqltest.DB) string {
	var b strings.Builder
	rows := db.Query(`
		SELECT r.rolname, n.nspname || '.' || c.relname, p.privilege,
			has_schema_privilege(r.oid, n.oid, 'USAGE') AND has_table_privilege(r.oid, c.oid, p.privilege)
		FROM pg_roles r, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
			unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
				WITH ORDINALITY AS p (privilege, position)
		WHERE r.rolname LIKE 'shop\_%' AND c.relkind = 'r' AND n.nspname IN ('public', 'catalog', 'cart', 'orders')
		ORDER BY r.rolname, n.nspname, c.relname, p.position`)
	line := ""
	for _, row := range rows {
		if start := fmt.Sprintf("%-14s %-24s", row[0], row[1]); start != line {
			if line != "" {
				b.WriteString("\n")
			}
			line = start
			b.WriteString(start)
		}
		cell := "."
		if row[3] == "t" {
			cell = row[2]
		}
		fmt.Fprintf(&b, " %s", cell)
	}
	b.WriteString("\n\n")
	for _, row := range db.Query(`
		SELECT r.rolname, 'schema ' || n.nspname, has_schema_privilege(r.oid, n.oid, 'CREATE')
		FROM pg_roles r, pg_namespace n
		WHERE r.rolname LIKE 'shop\_%' AND n.nspname IN ('public', 'catalog', 'cart', 'orders')
		UNION ALL
		SELECT rolname, 'temporary tables', has_database_privilege(oid, current_database(), 'TEMPORARY')
		FROM pg_roles WHERE rolname LIKE 'shop\_%'
		ORDER BY 1, 2`) {
		fmt.Fprintf(&b, "%-14s %-24s create: %s\n", row[0], row[1], row[2])
	}
	b.WriteString("\n")
	for _, row := range db.Query(`
		SELECT rolname, unnest(rolconfig) FROM pg_roles WHERE rolname LIKE 'shop\_%' ORDER BY 1, 2`) {
		fmt.Fprintf(&b, "%-14s %s\n", row[0], row[1])
	}
	return b.String()
}

// The matrix by doing: what a login must not do fails for the lack of the privilege, as that login.
func TestRolesCannot(t *testing.T) {
	t.Parallel()
	db := sqltest.Empty(t)
	err := sql.Migrate(t.Context(), db.OwnerURL(), sql.MigrateOptions{Products: 1, Passwords: sqltest.Passwords()})
	if err != nil {
		t.Fatal(err)
	}
	forbidden := map[string][]string{
		sql.RoleCatalog: {
			`SELECT * FROM cart.carts`, `SELECT * FROM cart.items`, `SELECT * FROM orders.orders`,
			`DELETE FROM catalog.products`, `TRUNCATE catalog.products`, `ALTER TABLE catalog.products ADD x int`,
			`CREATE TABLE catalog.x ()`, `CREATE TABLE public.x ()`, `CREATE TEMPORARY TABLE x ()`, `CREATE SCHEMA x`,
			`UPDATE public.goose_db_version SET version_id = 99`,
		},
		sql.RoleCart: {
			`SELECT * FROM catalog.products`, `SELECT * FROM orders.orders`,
			`DELETE FROM cart.carts`, `TRUNCATE cart.items`, `DROP TABLE cart.items`,
		},
		sql.RoleOrders: {
			`SELECT * FROM catalog.products`, `SELECT * FROM cart.items`,
			`UPDATE orders.orders SET total_amount = 0`, `DELETE FROM orders.lines`, `TRUNCATE orders.orders, orders.lines`,
		},
		sql.RoleMonolith: {
			`DELETE FROM catalog.products`, `DELETE FROM cart.carts`, `UPDATE orders.lines SET quantity = 1`,
			`TRUNCATE cart.items`, `CREATE TABLE cart.x ()`, `CREATE ROLE x`,
		},
	}
	const insufficientPrivilege = "42501"
	for role, statements := range forbidden {
		conn, err := pgx.Connect(t.Context(), db.URL(role))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		for _, s := range statements {
			if _, err := conn.Exec(t.Context(), s); sqlState(err) != insufficientPrivilege {
				t.Errorf("%s: %s: %v, want SQLSTATE %s", role, s, err, insufficientPrivilege)
			}
		}
		if _, err := conn.Exec(t.Context(), `SELECT version_id FROM public.goose_db_version`); err != nil {
			t.Errorf("%s cannot read the schema's version: %v", role, err)
		}
	}
}

// Roles belong to all databases of a cluster: another migration may make or change the same one at this moment.
func TestRolesMadeMeanwhile(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), db.OwnerURL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	other, ours := connect(), connect()
	t.Cleanup(func() { _, _ = other.Exec(context.Background(), `DROP ROLE IF EXISTS made_meanwhile`) })
	for _, statement := range []string{`CREATE ROLE made_meanwhile`, `ALTER ROLE made_meanwhile SET lock_timeout = '1s'`} {
		if _, err := other.Exec(t.Context(), `BEGIN; `+statement); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- sql.ExecShared(t.Context(), ours, statement) }()
		await(t, "ours waits", func() bool {
			return len(db.Query(`SELECT pid FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)) == 1
		})
		if _, err := other.Exec(t.Context(), `COMMIT`); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("%s while another did the same: %v", statement, err)
		}
	}
	if err := sql.ExecShared(t.Context(), ours, `CREATE ROLE made_meanwhile`); err != nil {
		t.Errorf("a role that exists: %v", err)
	}
	if err := sql.ExecShared(t.Context(), ours, `ALTER ROLE never_made SET lock_timeout = '1s'`); err == nil {
		t.Error("a role that does not exist: no error")
	}
}
