// Command cart is the cart service: what is in carts, over gRPC, from the tables of
// schema cart.
package main

import (
	"context"

	"splitshop/process"
	"splitshop/sql"
	"splitshop/transport/grpcapi"
)

type config struct {
	process.Flags
	process.Database
}

func main() {
	process.Main(process.App{
		Name:        "cart",
		Description: "What is in carts.",
		Addr:        "127.0.0.1:8082",
		AdminAddr:   "127.0.0.1:9082",
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
	pool, err := sql.Open(ctx, sql.Config{URL: database, MaxConns: c.Pool, Schemas: []string{"cart"}})
	if err != nil {
		return err
	}
	p.Needs("pool", pool.Ready, pool.Close)
	p.Stats("pool", func() any { return pool.Stats() })
	server := grpcapi.NewServer(grpcapi.ServerOptions{Log: p.Log, Ready: p.CheckReady, Observe: p.Observe("grpc")})
	grpcapi.RegisterCarts(server, sql.NewCarts(pool))
	return p.Serve(ctx, process.GRPC(server))
}
