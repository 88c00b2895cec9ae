package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Ready returns nil when the pool can serve: all connections are open (it opens those that were lost), the schema is one this
// build works on, the role may use the schemas that are needed, and a query on the tables that it may see works. It asks once
// and says what is missing; it does not wait.
func (p *Pool) Ready(ctx context.Context) error {
	if err := p.fillErr.Load(); err != nil {
		return fmt.Errorf("database: %w", *err)
	}
	if err := p.schemaFits(ctx); err != nil {
		return err
	}
	if err := p.tablesWork(ctx); err != nil {
		return err
	}
	if p.pool.Stat().NewConnsCount() == p.filled.Load() {
		return nil
	}
	// Some connection was replaced; whatever ended it may have ended others too. pgx notices that as they are needed, and
	// then a request would wait for a login.
	if err := p.fillOnce(ctx); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// schemaFits says whether the schema is at least the one this build needs. A later one is the business of whoever
// migrated: migrations go forward, under the builds that run.
func (p *Pool) schemaFits(ctx context.Context) error {
	var version int64
	err := p.do(ctx, subject{}, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT COALESCE(max(version_id), 0) FROM public.goose_db_version WHERE is_applied`).Scan(&version)
	})
	if e := new(pgconn.PgError); errors.As(err, &e) && e.Code == undefinedTable {
		err = nil // never migrated: version 0
	}
	if err != nil {
		return fmt.Errorf("schema version: %w", err)
	}
	if version < p.needs {
		return fmt.Errorf("the schema is at version %d, this build needs %d: run `monolith migrate`", version, p.needs)
	}
	return nil
}

// probes reads each table of each schema.
var probes = map[string]string{
	"catalog": `SELECT EXISTS (SELECT FROM catalog.products)`,
	"cart":    `SELECT EXISTS (SELECT FROM cart.carts), EXISTS (SELECT FROM cart.items)`,
	"orders":  `SELECT EXISTS (SELECT FROM orders.orders), EXISTS (SELECT FROM orders.lines)`,
}

// tablesWork queries the tables of the schemas that the role may use.
func (p *Pool) tablesWork(ctx context.Context) error {
	return p.do(ctx, subject{}, func(c *pgx.Conn) error {
		rows, _ := c.Query(ctx, `
			SELECT nspname
			FROM pg_namespace
			WHERE nspname IN ('catalog', 'cart', 'orders') AND has_schema_privilege(oid, 'USAGE')`)
		schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, needed := range p.schemas {
			if !slices.Contains(schemas, needed) {
				return fmt.Errorf("the role may not use schema %s: log in as the role that `monolith migrate` makes for it", needed)
			}
		}
		if len(schemas) == 0 {
			return errors.New("the role may use no schema of the shop: run `monolith migrate`, log in as a role it makes")
		}
		for _, schema := range schemas {
			if _, err := c.Exec(ctx, probes[schema]); err != nil {
				return fmt.Errorf("query of schema %s: %w", schema, err)
			}
		}
		return nil
	})
}
