package domaintest

import (
	"splitshop/domain"
)

func withdrawnChecks() []check {
	checks := []check{
		{"a line is shown and counts for nothing", withdrawnLine},
		{"a line refuses checkout by name and removing it heals", withdrawnRefusesCheckout},
		{"of two lines the first is named", twoWithdrawn},
		{"all lines are not an empty cart", allWithdrawn},
		{"a line keeps its place among a hundred", withdrawnKeepsPlace},
	}
	return append(checks, forBoth("is refused", changeWithdrawn)...)
}

func withdrawnLine(s *shopper) {
	kept, gone := s.named("kept", 250), s.named("gone", 1000)
	id := s.cart(of(kept, 2), of(gone, 3))
	s.withdraw(gone)
	s.equal("cart", s.view(id), domain.Cart{
		ID: id,
		Lines: []domain.Line{
			{ProductID: kept, Name: "kept", Quantity: 2, UnitPrice: domain.Cents(250), Total: domain.Cents(500)},
			{ProductID: gone, Name: "gone", Quantity: 3, UnitPrice: domain.Cents(1000), Total: domain.Cents(3000), Withdrawn: true},
		},
		Total: domain.Cents(500),
	})
}

func withdrawnRefusesCheckout(s *shopper) {
	kept, gone := s.product(250), s.product(1000)
	id := s.cart(of(kept, 2), of(gone, 3))
	s.withdraw(gone)
	before := s.view(id)
	for range 2 {
		_, err := s.Shop.PlaceOrder(s.Context(), id)
		s.refused("checking out", err, domain.NoLongerSold(gone))
		s.equal("cart after the refusal", s.view(id), before)
	}
	s.remove(id, gone)
	s.equal("total of the order", s.order(id).Total, domain.Cents(500))
	s.holds(id)
}

func twoWithdrawn(s *shopper) {
	p := s.products(4)
	id := s.cartOf(p[3], p[2], p[1], p[0])
	s.withdraw(p[2], p[1])
	_, err := s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out", err, domain.NoLongerSold(p[1]))
	s.remove(id, p[1])
	_, err = s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out without the first", err, domain.NoLongerSold(p[2]))
	s.holds(id, of(p[0], 1), of(p[2], 1), of(p[3], 1))
}

func allWithdrawn(s *shopper) {
	p := s.products(2)
	id := s.cartOf(p...)
	s.withdraw(p...)
	s.equal("total", s.view(id).Total, domain.Cents(0))
	_, err := s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out", err, domain.NoLongerSold(p[0]))
	s.remove(id, p[0])
	s.remove(id, p[1])
	_, err = s.Shop.PlaceOrder(s.Context(), id)
	s.refused("checking out nothing", err, domain.CartEmpty())
}

// withdrawnKeepsPlace fills a cart, so that every line has to be matched with its own product.
func withdrawnKeepsPlace(s *shopper) {
	shelved := s.shelved(domain.MaxLines - 1)
	gone := s.product(100_000)
	id := s.cartOf(append([]domain.ProductID{gone}, shelved...)...)
	total := s.view(id).Total
	s.withdraw(gone)
	cart := s.view(id)
	s.equal("total without the withdrawn line", cart.Total, domain.Cents(total.Amount-100_000))
	for _, l := range cart.Lines {
		s.equal("withdrawn", l.Withdrawn, l.ProductID == gone)
	}
}

func changeWithdrawn(s *shopper, c change) {
	p := s.product(100)
	with, without := s.cart(of(p, 5)), s.cart()
	s.withdraw(p)
	for _, id := range []domain.CartID{with, without} {
		_, err := c.do(s, id, of(p, 1))
		s.refused(c.name, err, domain.NoProduct(p))
	}
	s.holds(with, of(p, 5))
	s.holds(without)
	_, err := c.do(s, domain.NewCartID(), of(p, 1))
	s.refused(c.name+" to an unknown cart", err, domain.NoProduct(p))
}
