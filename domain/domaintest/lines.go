package domaintest

import (
	"fmt"
	"slices"

	"splitshop/domain"
)

func lineChecks() []check {
	checks := []check{
		{"adding again does not move a line", addingDoesNotMove},
		{"setting does not move a line", settingDoesNotMove},
		{"in one order in cart and order", orderKeepsLineOrder},
		{"a hundred and one", hundredAndOne},
		{"lines of a full cart may change", fullCartLinesChange},
		{"removing from a full cart makes room", fullCartMakesRoom},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {1, 4, 0, 3, 2}} {
		checks = append(checks, forBoth(fmt.Sprintf("in the order %v", order), func(s *shopper, c change) {
			linesAreOrdered(s, c, order)
		})...)
	}
	return checks
}

func linesAreOrdered(s *shopper, c change, order []int) {
	p := s.shelved(len(order))
	id := s.cart()
	for i, at := range order {
		_, err := c.do(s, id, of(p[at], at+1))
		s.must(err, c.name)
		s.equal("lines in the cart", len(s.view(id).Lines), i+1)
	}
	s.holds(id, of(p[0], 1), of(p[1], 2), of(p[2], 3), of(p[3], 4), of(p[4], 5))
}

func addingDoesNotMove(s *shopper) {
	p := s.shelved(3)
	id := s.cartOf(p[2], p[1], p[0])
	s.add(id, p[0], 1)
	s.add(id, p[2], 1)
	s.holds(id, of(p[0], 2), of(p[1], 1), of(p[2], 2))
}

func settingDoesNotMove(s *shopper) {
	p := s.shelved(3)
	id := s.cartOf(p...)
	s.set(id, p[0], 9)
	s.holds(id, of(p[0], 9), of(p[1], 1), of(p[2], 1))
}

func orderKeepsLineOrder(s *shopper) {
	p := s.shelved(6)
	id := s.cartOf(p[5], p[0], p[3], p[1], p[4], p[2])
	lines := s.view(id).Lines
	order := s.order(id)
	s.equal("lines of the order", order.Lines, lines)
	s.equal("lines of the stored order", s.stored(order.ID).Lines, lines)
}

// fullCart makes a cart with as many lines as a cart holds, one of each, and names a product it has no room for.
func (s *shopper) fullCart() (domain.CartID, []domain.ProductID, domain.ProductID) {
	s.Helper()
	p := s.shelved(domain.MaxLines + 1)
	return s.cartOf(p[:domain.MaxLines]...), p[:domain.MaxLines], p[domain.MaxLines]
}

func hundredAndOne(s *shopper) {
	id, products, more := s.fullCart()
	for _, c := range changes {
		_, err := c.do(s, id, of(more, 1))
		s.refused(c.name+" a line too many", err, domain.CartFull())
	}
	want := make([]domain.Item, len(products))
	for i, p := range products {
		want[i] = of(p, 1)
	}
	s.holds(id, want...)
}

func fullCartLinesChange(s *shopper) {
	id, products, _ := s.fullCart()
	s.equal("quantity added to", s.add(id, products[0], 2).Quantity, 3)
	s.equal("quantity set", s.set(id, products[99], 7).Quantity, 7)
	_, err := s.Shop.AddItem(s.Context(), id, of(products[0], 999))
	s.refused("adding to a line over its cap", err, domain.LineFull(products[0]))
	items := itemsOf(s.view(id).Lines)
	s.equal("lines", len(items), 100)
	s.equal("first and last", []domain.Item{items[0], items[99]}, []domain.Item{of(products[0], 3), of(products[99], 7)})
}

func fullCartMakesRoom(s *shopper) {
	id, products, more := s.fullCart()
	s.remove(id, products[50])
	s.add(id, more, 1)
	_, err := s.Shop.SetItem(s.Context(), id, of(products[50], 1))
	s.refused("bringing the removed one back", err, domain.CartFull())
	want := slices.Concat(products[:50], products[51:], []domain.ProductID{more})
	for i, item := range itemsOf(s.view(id).Lines) {
		s.equal("item", item, of(want[i], 1))
	}
}
