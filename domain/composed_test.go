package domain_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/domain/domaintest"
)

// stage is the shop in memory, composed of contracts that note every call and may be told to fail.
type stage struct {
	*testing.T
	memory *domaintest.Memory
	calls  *calls
	shop   domain.Composed
}

// newStage sets a stage up. The log of its checkout goes to log.
func newStage(t *testing.T, log io.Writer) stage {
	m := domaintest.NewMemory()
	c := &calls{catalog: m, carts: m, store: m}
	c.orders = domain.Checkout{OrderStore: c, Carts: c, Catalog: c, Log: slog.New(slog.NewJSONHandler(log, nil))}
	return stage{T: t, memory: m, calls: c, shop: domain.Composed{Catalog: c, Carts: c, Orders: orderCalls{c}}}
}

// product adds a product at a price in cents.
func (s stage) product(cents int64) domain.ProductID {
	s.Helper()
	id, err := s.memory.AddProduct(s.Context(), "something", domain.Cents(cents))
	if err != nil {
		s.Fatal(err)
	}
	return id
}

// cart makes a cart with three of each product.
func (s stage) cart(products ...domain.ProductID) domain.CartID {
	s.Helper()
	id, err := s.memory.CreateCart(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	for _, p := range products {
		if _, err := s.memory.AddItem(s.Context(), id, domain.Item{ProductID: p, Quantity: 3}); err != nil {
			s.Fatal(err)
		}
	}
	return id
}

// holds checks that a cart still holds three of each product.
func (s stage) holds(id domain.CartID, products ...domain.ProductID) {
	s.Helper()
	got, err := s.memory.Items(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	want := []domain.Item{}
	for _, p := range products {
		want = append(want, domain.Item{ProductID: p, Quantity: 3})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestComposedCalls counts what each public operation costs in calls between services.
func TestComposedCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		do    func(context.Context, domain.Shop, domain.CartID, domain.ProductID) error
		calls []string
	}{
		{"page", func(ctx context.Context, s domain.Shop, _ domain.CartID, _ domain.ProductID) error {
			_, err := s.Products(ctx, 0, 20)
			return err
		}, []string{"Products"}},
		{"product", func(ctx context.Context, s domain.Shop, _ domain.CartID, p domain.ProductID) error {
			_, err := s.Product(ctx, p)
			return err
		}, []string{"Product"}},
		{"create cart", func(ctx context.Context, s domain.Shop, _ domain.CartID, _ domain.ProductID) error {
			_, err := s.CreateCart(ctx)
			return err
		}, []string{"CreateCart"}},
		{"cart of a hundred lines", func(ctx context.Context, s domain.Shop, id domain.CartID, _ domain.ProductID) error {
			_, err := s.Cart(ctx, id)
			return err
		}, []string{"Items", "Lookup"}},
		{"add", func(ctx context.Context, s domain.Shop, id domain.CartID, p domain.ProductID) error {
			_, err := s.AddItem(ctx, id, domain.Item{ProductID: p, Quantity: 1})
			return err
		}, []string{"Product", "AddItem"}},
		{"set", func(ctx context.Context, s domain.Shop, id domain.CartID, p domain.ProductID) error {
			_, err := s.SetItem(ctx, id, domain.Item{ProductID: p, Quantity: 1})
			return err
		}, []string{"Product", "SetItem"}},
		{"remove", func(ctx context.Context, s domain.Shop, id domain.CartID, p domain.ProductID) error {
			return s.RemoveItem(ctx, id, p)
		}, []string{"RemoveItem"}},
		{"checkout", func(ctx context.Context, s domain.Shop, id domain.CartID, _ domain.ProductID) error {
			_, err := s.PlaceOrder(ctx, id)
			return err
		}, []string{"PlaceOrder", "Items", "Lookup", "Insert", "Take"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, io.Discard)
			products := make([]domain.ProductID, domain.MaxLines)
			for i := range products {
				products[i] = s.product(100)
			}
			if err := tt.do(t.Context(), s.shop, s.cart(products...), products[0]); err != nil {
				t.Fatal(err)
			}
			s.calls.want(t, tt.calls...)
		})
	}
}

// TestRefusedBeforeItCosts says how far a request gets that is refused.
func TestRefusedBeforeItCosts(t *testing.T) {
	t.Parallel()
	s := newStage(t, io.Discard)
	p := s.product(100)
	empty := s.cart()
	add := func(id domain.CartID, item domain.Item) error {
		_, err := s.shop.AddItem(t.Context(), id, item)
		return err
	}

	if err := add(empty, domain.Item{ProductID: p, Quantity: 1000}); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a bad quantity: %v", err)
	}
	s.calls.want(t)

	if err := add(empty, domain.Item{ProductID: p + 1, Quantity: 1}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown product: %v", err)
	}
	s.calls.want(t, "Product")

	if _, err := s.shop.Cart(t.Context(), empty); err != nil {
		t.Errorf("an empty cart: %v", err)
	}
	s.calls.want(t, "Items")

	_, err := s.shop.PlaceOrder(t.Context(), empty)
	wantRefusal(t, err, domain.Conflict, "", "the cart is empty: there is nothing to order")
	s.calls.want(t, "PlaceOrder", "Items")

	_, err = s.shop.Order(t.Context(), domain.NewOrderID())
	wantRefusal(t, err, domain.NotFound, "", "there is no such order")
	s.calls.want(t, "Order")
}

// TestWrongCatalogIsNoPrice gives cart view and checkout catalogues that answer something else than was asked.
func TestWrongCatalogIsNoPrice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		bend func([]domain.Product) []domain.Product
	}{
		{"nothing", func([]domain.Product) []domain.Product { return nil }},
		{"one less", func(p []domain.Product) []domain.Product { return p[:2] }},
		{"one more", func(p []domain.Product) []domain.Product { return append(p, p[0]) }},
		{"another order", func(p []domain.Product) []domain.Product { p[0], p[1] = p[1], p[0]; return p }},
		{"one twice for another", func(p []domain.Product) []domain.Product { p[1] = p[0]; return p }},
		{"another product", func(p []domain.Product) []domain.Product { p[2].ID = 999; return p }},
		{"another currency", func(p []domain.Product) []domain.Product { p[1].Price.Currency = "CHF"; return p }},
		{"a price beyond counting", func(p []domain.Product) []domain.Product { p[0].Price.Amount = 1 << 62; return p }},
		{"a total beyond counting", func(p []domain.Product) []domain.Product {
			p[0].Price.Amount, p[1].Price.Amount = 1<<61, 1<<61
			return p
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, io.Discard)
			products := []domain.ProductID{s.product(100), s.product(200), s.product(300)}
			id := s.cart(products...)
			s.calls.lookup = tt.bend
			cart, err := s.shop.Cart(t.Context(), id)
			wantRefusal(t, err, domain.Internal, "", "internal error")
			if diff := cmp.Diff(domain.Cart{}, cart); diff != "" {
				t.Errorf("a cart with the error:\n%s", diff)
			}
			s.calls.want(t, "Items", "Lookup")
			_, err = s.shop.PlaceOrder(t.Context(), id)
			wantRefusal(t, err, domain.Internal, "", "internal error")
			s.calls.want(t, "PlaceOrder", "Items", "Lookup")
			s.holds(id, products...)
		})
	}
}

// TestFailuresPassThrough lets one call fail at a time, with each kind, and wants that kind and its words outside.
func TestFailuresPassThrough(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fails string
		do    func(context.Context, domain.Shop, domain.CartID, domain.ProductID) error
	}{
		{"Items", viewCart}, {"Lookup", viewCart},
		{"Product", addItem}, {"AddItem", addItem},
		{"Items", checkOut}, {"Lookup", checkOut}, {"Insert", checkOut},
	} {
		for _, kind := range domain.Kinds {
			s := newStage(t, io.Discard)
			p := s.product(100)
			id := s.cart(p)
			s.calls.fails, s.calls.err = tt.fails, domain.Wrap(kind, io.ErrUnexpectedEOF)
			err := tt.do(t.Context(), s.shop, id, p)
			wantRefusal(t, err, kind, "", domain.Describe(kind).Detail)
			s.holds(id, p)
		}
	}
}

func viewCart(ctx context.Context, s domain.Shop, id domain.CartID, _ domain.ProductID) error {
	_, err := s.Cart(ctx, id)
	return err
}

func addItem(ctx context.Context, s domain.Shop, id domain.CartID, p domain.ProductID) error {
	_, err := s.AddItem(ctx, id, domain.Item{ProductID: p, Quantity: 1})
	return err
}

func checkOut(ctx context.Context, s domain.Shop, id domain.CartID, _ domain.ProductID) error {
	_, err := s.PlaceOrder(ctx, id)
	return err
}
