package domaintest

import (
	"testing"

	"splitshop/domain"
)

// contractCheck is one statement about the contracts that holds or fails by itself.
type contractCheck struct {
	name string
	run  func(*insider)
}

// insider is a shopper who speaks to the services behind the shop.
type insider struct {
	shopper
	ContractFixture
}

// RunContracts checks what only the contracts show and no public route does. It returns when every check is done.
func RunContracts(t *testing.T, f ContractFixture) {
	t.Helper()
	shop := Fixture{Shop: domain.Composed{Catalog: f.Catalog, Carts: f.Carts, Orders: f.Orders}, Admin: f.Admin}
	shelf := newShelf(f.Admin)
	for _, group := range []struct {
		name   string
		checks []contractCheck
	}{
		{"catalog", catalogContract()},
		{"carts", cartsContract()},
		{"take", takeContract()},
		{"orders", ordersContract()},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.checks {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(&insider{shopper{T: t, Fixture: shop, shelf: shelf}, f})
				})
			}
		})
	}
}

// items returns what is in a cart.
func (s *insider) items(id domain.CartID) []domain.Item {
	s.Helper()
	items, err := s.Carts.Items(s.Context(), id)
	s.must(err, "reading a cart's items")
	return items
}

// fill makes a cart with items in it, without asking whether their products exist.
func (s *insider) fill(items ...domain.Item) domain.CartID {
	s.Helper()
	id, err := s.Carts.CreateCart(s.Context())
	s.must(err, "creating a cart")
	for _, item := range items {
		s.must(s.Carts.SetItem(s.Context(), id, item), "setting an item")
	}
	return id
}

// lookup looks products up and returns them.
func (s *insider) lookup(ids ...domain.ProductID) []domain.Product {
	s.Helper()
	products, err := s.Catalog.Lookup(s.Context(), ids)
	s.must(err, "looking products up")
	return products
}

func catalogContract() []contractCheck {
	return []contractCheck{
		{"lookup answers in the order asked", lookupInOrder},
		{"lookup answers twice what is asked twice", lookupTwice},
		{"lookup knows the withdrawn", lookupWithdrawn},
		{"lookup answers the price of today", lookupPrice},
		{"lookup of nothing", lookupNothing},
		{"lookup of a hundred", lookupHundred},
		{"lookup of a hundred and one is refused", lookupTooMany},
		{"lookup of one that never existed", lookupUnknown},
		{"page is refused in the same words", contractPage},
		{"product is refused in the same words", contractProduct},
	}
}

func lookupInOrder(s *insider) {
	a, b, c := s.named("a", 1), s.named("b", 2), s.named("c", 3)
	s.equal("products", s.lookup(c, a, b), []domain.Product{
		{ID: c, Name: "c", Price: domain.Cents(3)},
		{ID: a, Name: "a", Price: domain.Cents(1)},
		{ID: b, Name: "b", Price: domain.Cents(2)},
	})
}

func lookupTwice(s *insider) {
	p := s.shelved(2)
	products := s.lookup(p[1], p[0], p[1], p[1])
	var ids []domain.ProductID
	for _, product := range products {
		ids = append(ids, product.ID)
	}
	s.equal("ids", ids, []domain.ProductID{p[1], p[0], p[1], p[1]})
}

func lookupWithdrawn(s *insider) {
	sold, gone := s.named("sold", 1), s.named("gone", 2)
	s.withdraw(gone)
	s.equal("products", s.lookup(gone, sold), []domain.Product{
		{ID: gone, Name: "gone", Price: domain.Cents(2), Withdrawn: true},
		{ID: sold, Name: "sold", Price: domain.Cents(1)},
	})
}

func lookupPrice(s *insider) {
	p := s.product(100)
	s.setPrice(p, 250)
	s.equal("price", s.lookup(p)[0].Price, domain.Cents(250))
}

func lookupNothing(s *insider) { s.equal("products", s.lookup(), []domain.Product{}) }

func lookupHundred(s *insider) {
	p := s.shelved(100)
	for i, product := range s.lookup(p...) {
		s.equal("product", product, domain.Product{ID: p[i], Name: "on the shelf", Price: domain.Cents(100 + int64(i))})
	}
}

func lookupTooMany(s *insider) {
	_, err := s.Catalog.Lookup(s.Context(), s.shelved(101))
	s.refused("looking up", err, &domain.Error{
		Kind: domain.Invalid, Field: "product_id", Detail: "at most 100 products are looked up at once"})
}

func lookupUnknown(s *insider) {
	p := s.shelved(2)
	for _, id := range []domain.ProductID{noProduct, 0, -1} {
		products, err := s.Catalog.Lookup(s.Context(), []domain.ProductID{p[0], id, p[1]})
		s.refused("looking up", err, domain.NoProduct(id))
		s.equal("products with the refusal", products, []domain.Product(nil))
	}
}

func contractPage(s *insider) {
	_, err := s.Catalog.Products(s.Context(), 0, 101)
	s.refused("limit 101", err, badLimit)
	_, err = s.Catalog.Products(s.Context(), -1, 100)
	s.refused("after -1", err, badAfter)
}

func contractProduct(s *insider) {
	for _, id := range []domain.ProductID{noProduct, 0, -1} {
		_, err := s.Catalog.Product(s.Context(), id)
		s.refused("asking for it", err, domain.NoProduct(id))
	}
}

func ordersContract() []contractCheck {
	return []contractCheck{
		{"places what the cart holds", contractOrder},
		{"refuses in the same words", contractOrderRefused},
	}
}

func contractOrder(s *insider) {
	a, b := s.named("a", 105), s.named("b", 1999)
	id := s.fill(of(b, 1), of(a, 3))
	order, err := s.Orders.PlaceOrder(s.Context(), id)
	s.must(err, "placing an order")
	s.equal("lines", order.Lines, []domain.Line{
		{ProductID: a, Name: "a", Quantity: 3, UnitPrice: domain.Cents(105), Total: domain.Cents(315)},
		{ProductID: b, Name: "b", Quantity: 1, UnitPrice: domain.Cents(1999), Total: domain.Cents(1999)},
	})
	stored, err := s.Orders.Order(s.Context(), order.ID)
	s.must(err, "reading the order")
	s.equal("stored order", stored, order)
	s.equal("items left", s.items(id), []domain.Item{})
}

func contractOrderRefused(s *insider) {
	place := func(id domain.CartID) error {
		_, err := s.Orders.PlaceOrder(s.Context(), id)
		return err
	}
	s.refused("an unknown cart", place(domain.NewCartID()), domain.NoCart())
	s.refused("an empty cart", place(s.fill()), domain.CartEmpty())
	gone := s.product(100)
	id := s.fill(of(gone, 1))
	s.withdraw(gone)
	s.refused("a withdrawn product", place(id), domain.NoLongerSold(gone))
	s.equal("items after the refusal", s.items(id), []domain.Item{of(gone, 1)})
	_, err := s.Orders.Order(s.Context(), domain.NewOrderID())
	s.refused("an unknown order", err, domain.NoOrder())
}
