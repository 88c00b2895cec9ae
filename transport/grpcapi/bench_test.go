package grpcapi

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"splitshop/domain"
	"splitshop/domain/domaintest"
)

// BenchmarkUnary is one call, both ends in one process: the items of a small cart, and a page of products.
func BenchmarkUnary(b *testing.B) {
	m := domaintest.NewMemory()
	for range domain.DefaultPage {
		if _, err := m.AddProduct(b.Context(), "a product with a name of usual length", domain.Cents(1249)); err != nil {
			b.Fatal(err)
		}
	}
	cart, err := m.CreateCart(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := m.AddItem(b.Context(), cart, domain.Item{ProductID: 1, Quantity: 1}); err != nil {
		b.Fatal(err)
	}
	for _, network := range networks {
		conn := connect(b, network, options(), func(s *grpc.Server) {
			RegisterCatalog(s, m)
			RegisterCarts(s, m)
		})
		if err := Ready(b.Context(), conn); err != nil { // connected
			b.Fatal(err)
		}
		catalog, carts := NewCatalog(conn), NewCarts(conn)
		b.Run("network="+network+"/answer=item", func(b *testing.B) {
			benchmark(b, func(ctx context.Context) error {
				_, err := carts.Items(ctx, cart)
				return err
			})
		})
		b.Run("network="+network+"/answer=page", func(b *testing.B) {
			benchmark(b, func(ctx context.Context) error {
				_, err := catalog.Products(ctx, 0, domain.DefaultPage)
				return err
			})
		})
	}
}

func benchmark(b *testing.B, call func(context.Context) error) {
	b.ReportAllocs()
	ctx := context.Background()
	for b.Loop() {
		if err := call(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
