// Command gateway is the public edge of the split shop: the same public JSON API as the monolith's, over the catalog, cart and
// orders services. It has no database.
package main

import (
	"context"

	"splitshop/domain"
	"splitshop/process"
	"splitshop/transport/grpcapi"
	"splitshop/transport/httpapi"
)

type config struct {
	process.Flags
	Catalog string `default:"127.0.0.1:8081" help:"Address of the catalog service: host:port, or unix:/path."`
	Cart    string `default:"127.0.0.1:8082" help:"Address of the cart service."`
	Orders  string `default:"127.0.0.1:8083" help:"Address of the orders service."`
}

func main() {
	process.Main(process.App{
		Name:        "gateway",
		Description: "The public API over the catalog, cart and orders services.",
		Addr:        "127.0.0.1:8080",
		AdminAddr:   "127.0.0.1:9080",
	}, &process.Commands[config]{})
}

func (c *config) Run(ctx context.Context, env *process.Env) error {
	p, err := process.New(env, c.Flags)
	if err != nil {
		return err
	}
	catalog, err := grpcapi.Upstream(p, "catalog", c.Catalog)
	if err != nil {
		return err
	}
	cart, err := grpcapi.Upstream(p, "cart", c.Cart)
	if err != nil {
		return err
	}
	orders, err := grpcapi.Upstream(p, "orders", c.Orders)
	if err != nil {
		return err
	}
	shop := domain.Composed{
		Catalog: grpcapi.NewCatalog(catalog),
		Carts:   grpcapi.NewCarts(cart),
		Orders:  grpcapi.NewOrders(orders),
	}
	return p.Serve(ctx, process.HTTP(httpapi.Public(shop, httpapi.Options{
		Log:     p.Log,
		Ready:   p.Started,
		Observe: p.Observe("http"),
	})))
}
