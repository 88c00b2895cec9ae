package domaintest

import (
	"splitshop/domain"
)

// priced is a line to buy: so many at a price in cents, in one addition after the other.
type priced struct {
	cents int64
	adds  []int
}

func totalChecks() []check {
	checks := []check{{"the largest cart there can be", largestCart}}
	for _, tt := range []struct {
		name  string
		lines []priced
		want  string // as people write it
	}{
		{"12.49 seven and three times is 124.90", []priced{{1249, []int{7, 3}}}, "124.90 EUR"},
		{"one cent", []priced{{1, []int{1}}}, "0.01 EUR"},
		{"0.99 and 1.05 and 19.99", []priced{{99, []int{1}}, {105, []int{1}}, {1999, []int{1}}}, "22.03 EUR"},
		{"three each of 0.99 and 1.05 and 19.99", []priced{{99, []int{3}}, {105, []int{3}}, {1999, []int{3}}}, "66.09 EUR"},
		{"0.99 a thousand times less one", []priced{{99, []int{999}}}, "989.01 EUR"},
		{"ends in .05", []priced{{105, []int{1}}}, "1.05 EUR"},
		{"ends in .05 by quantity", []priced{{335, []int{3}}}, "10.05 EUR"},
		{"ends in .05 by sum", []priced{{10, []int{1}}, {1995, []int{1}}}, "20.05 EUR"},
		{"ends in .00", []priced{{25, []int{2, 2}}}, "1.00 EUR"},
		{"0.10 and 0.20", []priced{{10, []int{1}}, {20, []int{1}}}, "0.30 EUR"},
		{"1.10 three times", []priced{{110, []int{1, 1, 1}}}, "3.30 EUR"},
		{"just below 2^31 cents", []priced{{1<<31 - 1 - 1_500_000_000, []int{1}}, {750_000_000, []int{2}}}, "21474836.47 EUR"},
		{"2^31 cents", []priced{{1 << 29, []int{4}}}, "21474836.48 EUR"},
		{"above 2^32 cents", []priced{{domain.MaxPrice, []int{5}}}, "50000000.00 EUR"},
		{"the largest line", []priced{{domain.MaxPrice, []int{999}}}, "9990000000.00 EUR"},
		{"the largest line and a cent", []priced{{domain.MaxPrice, []int{999}}, {1, []int{1}}}, "9990000000.01 EUR"},
	} {
		checks = append(checks, check{tt.name, func(s *shopper) { totalsAgree(s, tt.lines, tt.want) }})
	}
	return checks
}

// totalsAgree buys lines and checks that every place that states a total states this one.
func totalsAgree(s *shopper, lines []priced, want string) {
	id := s.cart()
	var items []domain.Item
	var answers []domain.Line
	for _, l := range lines {
		item, answer := of(s.product(l.cents), 0), domain.Line{}
		for _, quantity := range l.adds {
			answer = s.add(id, item.ProductID, quantity)
			item.Quantity += quantity
			s.equal("quantity of the line", answer.Quantity, item.Quantity)
		}
		items, answers = append(items, item), append(answers, answer)
	}
	s.holds(id, items...)
	cart := s.view(id)
	s.equal("total of the cart", cart.Total.String(), want)
	s.equal("lines as they were answered", answers, cart.Lines)
	order := s.order(id)
	s.equal("total of the order", order.Total.String(), want)
	s.equal("lines of the order", order.Lines, cart.Lines)
	stored := s.stored(order.ID)
	s.equal("total of the stored order", stored.Total.String(), want)
	s.equal("sum of the stored lines", s.sum(stored.Lines), stored.Total)
	s.equal("stored order", stored, order)
}

// largestCart holds the most lines of the most of the dearest product.
func largestCart(s *shopper) {
	id := s.cart()
	for range domain.MaxLines {
		s.set(id, s.product(domain.MaxPrice), domain.MaxQuantity)
	}
	const want = "999000000000.00 EUR"
	s.equal("total of the cart", s.view(id).Total.String(), want)
	order := s.order(id)
	s.equal("total of the order", order.Total.String(), want)
	s.equal("stored order", s.stored(order.ID), order)
}
