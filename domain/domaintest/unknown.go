package domaintest

import (
	"fmt"
	"math"

	"splitshop/domain"
)

// noProduct is an id no product has.
const noProduct domain.ProductID = math.MaxInt64 - 7

func unknownChecks() []check {
	checks := []check{
		{"removing an unknown product", removeUnknownProduct},
		{"an order id names no cart", orderIDAsCart},
		{"a cart id names no order", cartIDAsOrder},
	}
	for _, tt := range []struct {
		name string
		id   func() domain.CartID
	}{
		{"fresh id", domain.NewCartID},
		{"zero id", func() domain.CartID { return domain.CartID{} }},
	} {
		for _, op := range cartOperations {
			checks = append(checks, check{op.name + " an unknown cart with a " + tt.name, func(s *shopper) {
				s.refused(op.name, op.do(s, tt.id(), s.shelved(1)[0]), domain.NoCart())
			}})
		}
		checks = append(checks, check{"order with a " + tt.name, func(s *shopper) {
			_, err := s.Shop.Order(s.Context(), domain.OrderID(tt.id()))
			s.refused("asking for it", err, domain.NoOrder())
		}})
	}
	checks = append(checks, forBoth("an unknown product", changeUnknownProduct)...)
	checks = append(checks, forBoth("an unknown product to an unknown cart names the product", changeUnknownBoth)...)
	return append(checks, forBoth("bad quantity, unknown product, unknown cart names the quantity", changeAllWrong)...)
}

// cartOperations are the operations that name a cart.
var cartOperations = []struct {
	name string
	do   func(*shopper, domain.CartID, domain.ProductID) error
}{
	{"view", func(s *shopper, id domain.CartID, _ domain.ProductID) error {
		_, err := s.Shop.Cart(s.Context(), id)
		return err
	}},
	{"add to", func(s *shopper, id domain.CartID, p domain.ProductID) error {
		_, err := s.Shop.AddItem(s.Context(), id, of(p, 1))
		return err
	}},
	{"set in", func(s *shopper, id domain.CartID, p domain.ProductID) error {
		_, err := s.Shop.SetItem(s.Context(), id, of(p, 1))
		return err
	}},
	{"remove from", func(s *shopper, id domain.CartID, p domain.ProductID) error {
		return s.Shop.RemoveItem(s.Context(), id, p)
	}},
	{"check out", func(s *shopper, id domain.CartID, _ domain.ProductID) error {
		_, err := s.Shop.PlaceOrder(s.Context(), id)
		return err
	}},
}

func removeUnknownProduct(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 2))
	s.remove(id, noProduct)
	s.holds(id, of(p, 2))
}

func orderIDAsCart(s *shopper) {
	order := s.order(s.cartOf(s.shelved(2)...))
	for _, op := range cartOperations {
		s.refused(op.name, op.do(s, domain.CartID(order.ID), s.shelved(1)[0]), domain.NoCart())
	}
}

func cartIDAsOrder(s *shopper) {
	id := s.cartOf(s.shelved(2)...)
	s.order(id)
	_, err := s.Shop.Order(s.Context(), domain.OrderID(id))
	s.refused("asking for it", err, domain.NoOrder())
}

func changeUnknownProduct(s *shopper, c change) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 2))
	for _, product := range []domain.ProductID{noProduct, math.MaxInt64, 1 << 40} {
		_, err := c.do(s, id, of(product, 1))
		s.refused(fmt.Sprintf("%s %d", c.name, product), err, domain.NoProduct(product))
	}
	s.holds(id, of(p, 2))
}

func changeUnknownBoth(s *shopper, c change) {
	_, err := c.do(s, domain.NewCartID(), of(noProduct, 1))
	s.refused(c.name, err, domain.NoProduct(noProduct))
}

func changeAllWrong(s *shopper, c change) {
	for _, quantity := range []int{0, 1000} {
		_, err := c.do(s, domain.NewCartID(), of(noProduct, quantity))
		s.refused(c.name, err, badQuantity)
	}
}
