package grpcapi

import (
	"slices"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
)

// TestConformance runs the shop's suite against three services behind real sockets.
func TestConformance(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		m := domaintest.NewMemory()
		domaintest.Run(t, domaintest.Fixture{Shop: micro(t, network, options(), m), Admin: m})
	})
}

// TestContracts runs what only the contracts show against the same three services.
func TestContracts(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		m := domaintest.NewMemory()
		c := micro(t, network, options(), m)
		domaintest.RunContracts(t, domaintest.ContractFixture{Catalog: c.Catalog, Carts: c.Carts, Orders: c.Orders, Admin: m})
	})
}

// TestCallsPerOperation counts what each public operation costs inside.
func TestCallsPerOperation(t *testing.T) {
	overNetworks(t, func(t *testing.T, network string) {
		var heard seen
		m := domaintest.NewMemory()
		shop := micro(t, network, ServerOptions{Log: options().Log, Observe: heard.observe}, m)
		ctx := t.Context()
		p, err := m.AddProduct(ctx, "tea", domain.Cents(1249))
		if err != nil {
			t.Fatal(err)
		}
		var cart domain.CartID
		var order domain.Order
		steps := []struct {
			name string
			do   func() error
			want []string // in the order they end
		}{
			{"page of products", func() error { _, err := shop.Products(ctx, 0, 20); return err },
				[]string{"Catalog/Products ok"}},
			{"product", func() error { _, err := shop.Product(ctx, p); return err },
				[]string{"Catalog/Product ok"}},
			{"new cart", func() (err error) { cart, err = shop.CreateCart(ctx); return err },
				[]string{"Carts/CreateCart ok"}},
			{"add", func() error { _, err := shop.AddItem(ctx, cart, domain.Item{ProductID: p, Quantity: 7}); return err },
				[]string{"Catalog/Product ok", "Carts/AddItem ok"}},
			{"set", func() error { _, err := shop.SetItem(ctx, cart, domain.Item{ProductID: p, Quantity: 3}); return err },
				[]string{"Catalog/Product ok", "Carts/SetItem ok"}},
			{"cart", func() error { _, err := shop.Cart(ctx, cart); return err },
				[]string{"Carts/Items ok", "Catalog/Lookup ok"}},
			{"order", func() (err error) { order, err = shop.PlaceOrder(ctx, cart); return err },
				[]string{"Carts/Items ok", "Catalog/Lookup ok", "Carts/Take ok", "Orders/PlaceOrder ok"}},
			{"stored order", func() error { _, err := shop.Order(ctx, order.ID); return err },
				[]string{"Orders/Order ok"}},
			{"remove", func() error { return shop.RemoveItem(ctx, cart, p) },
				[]string{"Carts/RemoveItem ok"}},
		}
		for _, step := range steps {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got := heard.take(); !slices.Equal(got, step.want) {
				t.Errorf("%s: calls %q, want %q", step.name, got, step.want)
			}
		}
	})
}
