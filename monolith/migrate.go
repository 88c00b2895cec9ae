package main

import (
	"context"
	"time"

	"splitshop/process"
	"splitshop/sql"
)

// migrate prepares a database for every build of the shop. It may run any number of times, also at once.
type migrate struct {
	OwnerDB             string               `required:"" secret:"" placeholder:"URL" help:"Postgres URL of a role that may make schemas and roles."`
	OwnerDBPasswordFile process.PasswordFile `placeholder:"FILE" help:"File with the password of --owner-db, where the URL has none."`
	Wait                time.Duration        `default:"0s" help:"How long to wait for a Postgres server that does not answer yet."`
	Products            int                  `default:"1000" help:"Products in the catalogue, at most 1,000,000."`

	MonolithPassword     string               `secret:"" placeholder:"TEXT" help:"Password of the role shop_monolith; without one it is left as it is."`
	CatalogPassword      string               `secret:"" placeholder:"TEXT" help:"Password of the role shop_catalog."`
	CartPassword         string               `secret:"" placeholder:"TEXT" help:"Password of the role shop_cart."`
	OrdersPassword       string               `secret:"" placeholder:"TEXT" help:"Password of the role shop_orders."`
	MonolithPasswordFile process.PasswordFile `placeholder:"FILE" help:"File with the password of the role shop_monolith."`
	CatalogPasswordFile  process.PasswordFile `placeholder:"FILE" help:"File with the password of the role shop_catalog."`
	CartPasswordFile     process.PasswordFile `placeholder:"FILE" help:"File with the password of the role shop_cart."`
	OrdersPasswordFile   process.PasswordFile `placeholder:"FILE" help:"File with the password of the role shop_orders."`
}

func (c *migrate) Run(ctx context.Context, env *process.Env) error {
	owner, err := c.OwnerDBPasswordFile.In(c.OwnerDB)
	if err != nil {
		return err
	}
	passwords := make(map[string]string)
	for _, role := range []struct {
		name, password string
		file           process.PasswordFile
	}{
		{"shop_monolith", c.MonolithPassword, c.MonolithPasswordFile},
		{"shop_catalog", c.CatalogPassword, c.CatalogPasswordFile},
		{"shop_cart", c.CartPassword, c.CartPasswordFile},
		{"shop_orders", c.OrdersPassword, c.OrdersPasswordFile},
	} {
		password, err := role.file.Or(role.password)
		if err != nil {
			return err
		}
		if password != "" {
			passwords[role.name] = password
		}
	}
	return sql.Migrate(ctx, owner, sql.MigrateOptions{Products: c.Products, Passwords: passwords, Wait: c.Wait, Log: env.Log})
}
