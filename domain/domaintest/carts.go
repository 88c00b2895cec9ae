package domaintest

import (
	"splitshop/domain"
)

func cartChecks() []check {
	return []check{
		{"a new one is empty", newCart},
		{"two are two", twoCarts},
		{"set makes a line", setMakesLine},
		{"set replaces a quantity", setReplaces},
		{"add counts on after set", addAfterSet},
		{"add answers the line as the cart shows it", addAnswersLine},
		{"set answers the line as the cart shows it", setAnswersLine},
		{"remove takes one line out", removeLine},
		{"remove twice is no error", removeTwice},
		{"remove what was never there", removeNeverThere},
		{"remove the last line", removeLast},
		{"a removed line starts again from nothing", addAfterRemove},
		{"prices are those of today", cartPricesAreTodays},
		{"looking changes nothing", lookingChangesNothing},
	}
}

func newCart(s *shopper) {
	id := s.cart()
	s.equal("cart", s.view(id), domain.Cart{ID: id, Total: domain.Cents(0)})
}

func twoCarts(s *shopper) {
	p := s.shelved(2)
	a, b := s.cart(), s.cart()
	if a == b {
		s.Fatalf("two carts have one id")
	}
	s.add(a, p[0], 3)
	s.add(b, p[0], 5)
	s.add(b, p[1], 1)
	s.remove(b, p[1])
	s.holds(a, of(p[0], 3))
	s.holds(b, of(p[0], 5))
}

func setMakesLine(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart()
	s.equal("quantity", s.set(id, p, 4).Quantity, 4)
	s.holds(id, of(p, 4))
}

func setReplaces(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 7))
	for _, quantity := range []int{3, 999, 999, 1} {
		s.equal("quantity", s.set(id, p, quantity).Quantity, quantity)
		s.holds(id, of(p, quantity))
	}
}

func addAfterSet(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart()
	s.set(id, p, 4)
	s.equal("quantity", s.add(id, p, 5).Quantity, 9)
	s.holds(id, of(p, 9))
}

func addAnswersLine(s *shopper) {
	p := s.named("a line", 105)
	id := s.cart(of(p, 2))
	want := domain.Line{ProductID: p, Name: "a line", Quantity: 5, UnitPrice: domain.Cents(105), Total: domain.Cents(525)}
	s.equal("answer", s.add(id, p, 3), want)
	s.equal("lines", s.view(id).Lines, []domain.Line{want})
}

func setAnswersLine(s *shopper) {
	p := s.named("a line", 105)
	id := s.cart(of(p, 2))
	want := domain.Line{ProductID: p, Name: "a line", Quantity: 3, UnitPrice: domain.Cents(105), Total: domain.Cents(315)}
	s.equal("answer", s.set(id, p, 3), want)
	s.equal("lines", s.view(id).Lines, []domain.Line{want})
}

func removeLine(s *shopper) {
	p := s.shelved(3)
	id := s.cartOf(p...)
	s.remove(id, p[1])
	s.holds(id, of(p[0], 1), of(p[2], 1))
}

func removeTwice(s *shopper) {
	p := s.shelved(2)
	id := s.cartOf(p...)
	s.remove(id, p[0])
	s.remove(id, p[0])
	s.holds(id, of(p[1], 1))
}

func removeNeverThere(s *shopper) {
	p := s.shelved(2)
	id := s.cart(of(p[0], 2))
	s.remove(id, p[1])
	s.holds(id, of(p[0], 2))
}

func removeLast(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 2))
	s.remove(id, p)
	s.equal("cart", s.view(id), domain.Cart{ID: id, Total: domain.Cents(0)})
}

func addAfterRemove(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 7))
	s.remove(id, p)
	s.equal("quantity", s.add(id, p, 2).Quantity, 2)
	s.holds(id, of(p, 2))
}

func cartPricesAreTodays(s *shopper) {
	p := s.product(1000)
	id := s.cart(of(p, 3))
	s.equal("total", s.view(id).Total, domain.Cents(3000))
	s.setPrice(p, 999)
	s.equal("total after the price fell", s.view(id).Total, domain.Cents(2997))
	s.equal("total of the line added to", s.add(id, p, 1).Total, domain.Cents(3996))
	s.setPrice(p, 5001)
	s.equal("total of the line set", s.set(id, p, 2).Total, domain.Cents(10002))
	s.equal("total after the price rose", s.view(id).Total, domain.Cents(10002))
}

func lookingChangesNothing(s *shopper) {
	id := s.cartOf(s.shelved(3)...)
	s.equal("second look", s.view(id), s.view(id))
}
