// Command monolith is the whole shop in one process: the public JSON API over the shop's tables.
//
// As shipped it is the monolith at its best: a cart view is one join, a checkout one transaction. With --composed it is the
// modular variant, the same process made of the three contracts, as the services are, but with local stores.
package main

import (
	"context"
	"fmt"

	"splitshop/domain"
	"splitshop/process"
	"splitshop/sql"
	"splitshop/transport/httpapi"
)

type commands struct {
	process.Commands[serve]
	Migrate migrate `cmd:"" help:"Make the schemas, roles and products, then exit."`
}

func main() {
	process.Main(process.App{
		Name:        "monolith",
		Description: "The whole shop in one process.",
		Addr:        "127.0.0.1:8080",
		AdminAddr:   "127.0.0.1:9080",
		Pool:        30,
	}, &commands{})
}

type serve struct {
	process.Flags
	process.Database
	Composed   bool `help:"Compose the shop of its three contracts over local stores: no joins, no common transaction."`
	SplitPools bool `help:"With --composed: a third of the pool for each of catalog, cart and orders."`
}

func (c *serve) Run(ctx context.Context, env *process.Env) error {
	if c.SplitPools && !c.Composed {
		return process.Usage(fmt.Errorf("--split-pools needs --composed"))
	}
	p, err := process.New(env, c.Flags)
	if err != nil {
		return err
	}
	shop, err := c.shop(ctx, p)
	if err != nil {
		return err
	}
	return p.Serve(ctx, process.HTTP(httpapi.Public(shop, httpapi.Options{
		Log:     p.Log,
		Ready:   p.Started,
		Observe: p.Observe("http"),
	})))
}

func (c *serve) shop(ctx context.Context, p *process.Process) (domain.Shop, error) {
	database, err := c.URL()
	if err != nil {
		return nil, err
	}
	names, size := []string{"pool"}, c.Pool
	if c.SplitPools {
		names, size = []string{"pool.catalog", "pool.cart", "pool.orders"}, max(1, c.Pool/3)
	}
	pools := make([]*sql.Pool, 3)
	for i := range pools {
		if i >= len(names) {
			pools[i] = pools[0]
			continue
		}
		pool, err := sql.Open(ctx, sql.Config{URL: database, MaxConns: size, Schemas: []string{"catalog", "cart", "orders"}})
		if err != nil {
			return nil, err
		}
		p.Needs(names[i], pool.Ready, pool.Close)
		p.Stats(names[i], func() any { return pool.Stats() })
		pools[i] = pool
	}
	if !c.Composed {
		return sql.NewShop(pools[0]), nil
	}
	catalog, carts := sql.NewCatalog(pools[0]), sql.NewCarts(pools[1])
	return domain.Composed{
		Catalog: catalog,
		Carts:   carts,
		Orders:  domain.Checkout{OrderStore: sql.NewOrders(pools[2]), Carts: carts, Catalog: catalog, Log: p.Log},
	}, nil
}
