package main

import (
	"context"

	"splitshop/process"
	"splitshop/sql"
)

// migrate prepares a database for every build of the shop. It may run any number of times, also at once.
type migrate struct {
	OwnerDB          string `required:"" secret:"" placeholder:"URL" help:"Postgres URL of a role that may make schemas and roles."`
	Products         int    `default:"1000" help:"Products in the catalogue, at most 1,000,000."`
	MonolithPassword string `secret:"" placeholder:"TEXT" help:"Password of the role shop_monolith; without one it is left as it is."`
	CatalogPassword  string `secret:"" placeholder:"TEXT" help:"Password of the role shop_catalog."`
	CartPassword     string `secret:"" placeholder:"TEXT" help:"Password of the role shop_cart."`
	OrdersPassword   string `secret:"" placeholder:"TEXT" help:"Password of the role shop_orders."`
}

func (c *migrate) Run(ctx context.Context, env *process.Env) error {
	passwords := make(map[string]string)
	for role, password := range map[string]string{
		"shop_monolith": c.MonolithPassword,
		"shop_catalog":  c.CatalogPassword,
		"shop_cart":     c.CartPassword,
		"shop_orders":   c.OrdersPassword,
	} {
		if password != "" {
			passwords[role] = password
		}
	}
	return sql.Migrate(ctx, c.OwnerDB, sql.MigrateOptions{Products: c.Products, Passwords: passwords, Log: env.Log})
}
