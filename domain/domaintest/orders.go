package domaintest

import (
	"time"

	"splitshop/domain"
)

func orderChecks() []check {
	return []check{
		{"holds what the cart held", orderHoldsCart},
		{"stored is what was answered", storedAsAnswered},
		{"placed at", placedAt},
		{"of an empty cart", orderEmptyCart},
		{"of an emptied cart", orderEmptiedCart},
		{"empties the cart", orderEmptiesCart},
		{"twice", orderTwice},
		{"after an order the cart starts a new one", orderAgain},
		{"of one cart leaves another", orderLeavesOthers},
		{"at the price of the moment", orderPriceOfTheMoment},
		{"later prices do not touch it", laterPrices},
		{"later withdrawal does not touch it", laterWithdrawal},
		{"of a full cart", orderFullCart},
		{"a thousand less one of each", orderMostOfEach},
	}
}

func orderHoldsCart(s *shopper) {
	a, b := s.named("a", 105), s.named("b", 1999)
	id := s.cart(of(b, 1), of(a, 2))
	order := s.order(id)
	if order.ID == (domain.OrderID{}) {
		s.Error("the order has no id")
	}
	s.equal("lines", order.Lines, []domain.Line{
		{ProductID: a, Name: "a", Quantity: 2, UnitPrice: domain.Cents(105), Total: domain.Cents(210)},
		{ProductID: b, Name: "b", Quantity: 1, UnitPrice: domain.Cents(1999), Total: domain.Cents(1999)},
	})
	s.equal("total", order.Total, domain.Cents(2209))
}

func storedAsAnswered(s *shopper) {
	order := s.order(s.cartOf(s.shelved(5)...))
	for range 2 {
		s.equal("stored order", s.stored(order.ID), order)
	}
}

// placedAt allows a minute between two clocks.
func placedAt(s *shopper) {
	before := time.Now()
	order := s.order(s.cartOf(s.shelved(1)...))
	if d := order.PlacedAt.Sub(before); d < -time.Minute || d > time.Since(before)+time.Minute {
		s.Errorf("placed at %v, which is %v from when it was", order.PlacedAt, d)
	}
	for _, at := range []time.Time{order.PlacedAt, s.stored(order.ID).PlacedAt} {
		if at.Location() != time.UTC || !at.Equal(at.Truncate(time.Microsecond)) {
			s.Errorf("placed at %v: not UTC in whole microseconds", at)
		}
		s.equal("time", at, order.PlacedAt)
	}
}

func orderEmptyCart(s *shopper) {
	id := s.cart()
	_, err := s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out", err, domain.CartEmpty())
	s.holds(id)
}

func orderEmptiedCart(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 3))
	s.remove(id, p)
	_, err := s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out", err, domain.CartEmpty())
}

func orderEmptiesCart(s *shopper) {
	id := s.cartOf(s.shelved(4)...)
	s.order(id)
	s.equal("cart", s.view(id), domain.Cart{ID: id, Total: domain.Cents(0)})
}

func orderTwice(s *shopper) {
	id := s.cartOf(s.shelved(2)...)
	order := s.order(id)
	for range 2 {
		_, err := s.Shop.PlaceOrder(s.Context(), id)
		s.refused("checking out again", err, domain.CartEmpty())
	}
	s.equal("stored order", s.stored(order.ID), order)
}

func orderAgain(s *shopper) {
	p := s.shelved(2)
	id := s.cart(of(p[0], 2))
	first := s.order(id)
	s.equal("quantity", s.add(id, p[0], 1).Quantity, 1)
	s.set(id, p[1], 4)
	s.equal("first order once the cart is filled again", s.stored(first.ID), first)
	second := s.order(id)
	if first.ID == second.ID {
		s.Error("two orders have one id")
	}
	s.equal("second order's items", itemsOf(second.Lines), []domain.Item{of(p[0], 1), of(p[1], 4)})
	s.equal("first order", s.stored(first.ID), first)
	s.equal("second order", s.stored(second.ID), second)
	s.holds(id)
}

func orderLeavesOthers(s *shopper) {
	p := s.shelved(2)
	a, b := s.cartOf(p...), s.cart(of(p[0], 3), of(p[1], 4))
	s.order(a)
	s.holds(b, of(p[0], 3), of(p[1], 4))
	s.equal("items of the other's order", itemsOf(s.order(b).Lines), []domain.Item{of(p[0], 3), of(p[1], 4)})
}

func orderPriceOfTheMoment(s *shopper) {
	p := s.product(1000)
	id := s.cart(of(p, 3))
	s.equal("total of the cart", s.view(id).Total, domain.Cents(3000))
	s.setPrice(p, 1249)
	order := s.order(id)
	s.equal("total of the order", order.Total, domain.Cents(3747))
	s.equal("unit price", order.Lines[0].UnitPrice, domain.Cents(1249))
	s.equal("stored order", s.stored(order.ID), order)
}

func laterPrices(s *shopper) {
	p := s.products(2)
	id := s.cartOf(p...)
	order := s.order(id)
	s.setPrice(p[0], 1)
	s.setPrice(p[1], domain.MaxPrice)
	s.equal("stored order", s.stored(order.ID), order)
	s.add(id, p[0], 1)
	s.equal("total of the next order", s.order(id).Total, domain.Cents(1))
	s.equal("stored order after the next one", s.stored(order.ID), order)
}

func laterWithdrawal(s *shopper) {
	p := s.product(1000)
	order := s.order(s.cart(of(p, 2)))
	s.withdraw(p)
	s.equal("stored order", s.stored(order.ID), order)
	s.equal("total", order.Total, domain.Cents(2000))
}

func orderFullCart(s *shopper) {
	id, products, _ := s.fullCart()
	lines := s.view(id).Lines
	order := s.order(id)
	s.equal("lines", len(order.Lines), len(products))
	s.equal("lines of the order", order.Lines, lines)
	s.equal("stored order", s.stored(order.ID), order)
	s.holds(id)
}

func orderMostOfEach(s *shopper) {
	p := s.shelved(2)
	id := s.cart(of(p[0], 999), of(p[1], 999))
	order := s.order(id)
	s.equal("items", itemsOf(order.Lines), []domain.Item{of(p[0], 999), of(p[1], 999)})
	s.equal("stored order", s.stored(order.ID), order)
	s.equal("quantity in the cart afterwards", s.add(id, p[0], 999).Quantity, 999)
}
