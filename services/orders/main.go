// Command orders is the orders service: it takes orders and remembers them, over gRPC, in the
// tables of schema orders; a checkout calls cart, catalog and cart again.
package main

import (
	"context"

	"splitshop/domain"
	"splitshop/process"
	"splitshop/sql"
	"splitshop/transport/grpcapi"
)

type config struct {
	process.Flags
	process.Database
	Catalog string `default:"127.0.0.1:8081" help:"Address of the catalog service: host:port, or unix:/path."`
	Cart    string `default:"127.0.0.1:8082" help:"Address of the cart service."`
}

func main() {
	process.Main(process.App{
		Name:        "orders",
		Description: "Takes orders and remembers them.",
		Addr:        "127.0.0.1:8083",
		AdminAddr:   "127.0.0.1:9083",
		Pool:        10,
	}, &process.Commands[config]{})
}

func (c *config) Run(ctx context.Context, env *process.Env) error {
	p, err := process.New(env, c.Flags)
	if err != nil {
		return err
	}
	database, err := c.URL()
	if err != nil {
		return err
	}
	pool, err := sql.Open(ctx, sql.Config{URL: database, MaxConns: c.Pool, Schemas: []string{"orders"}})
	if err != nil {
		return err
	}
	p.Needs("pool", pool.Ready, pool.Close)
	p.Stats("pool", func() any { return pool.Stats() })
	catalog, err := grpcapi.Upstream(p, "catalog", c.Catalog)
	if err != nil {
		return err
	}
	cart, err := grpcapi.Upstream(p, "cart", c.Cart)
	if err != nil {
		return err
	}
	server := grpcapi.NewServer(grpcapi.ServerOptions{Log: p.Log, Ready: p.CheckReady, Observe: p.Observe("grpc")})
	grpcapi.RegisterOrders(server, domain.Checkout{
		OrderStore: sql.NewOrders(pool),
		Carts:      grpcapi.NewCarts(cart),
		Catalog:    grpcapi.NewCatalog(catalog),
		Log:        p.Log,
	})
	return p.Serve(ctx, process.GRPC(server))
}
