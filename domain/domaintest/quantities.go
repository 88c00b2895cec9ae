package domaintest

import (
	"fmt"
	"math"

	"splitshop/domain"
)

var (
	badQuantity  = &domain.Error{Kind: domain.Invalid, Field: "quantity", Detail: "quantity is a whole number from 1 to 999"}
	badProductID = &domain.Error{Kind: domain.Invalid, Field: "product_id", Detail: "a product id is a whole number from 1"}
)

// change is AddItem or SetItem, for what holds for both.
type change struct {
	name string
	do   func(*shopper, domain.CartID, domain.Item) (domain.Line, error)
}

var changes = []change{
	{"add", func(s *shopper, cart domain.CartID, item domain.Item) (domain.Line, error) {
		return s.Shop.AddItem(s.Context(), cart, item)
	}},
	{"set", func(s *shopper, cart domain.CartID, item domain.Item) (domain.Line, error) {
		return s.Shop.SetItem(s.Context(), cart, item)
	}},
}

// forBoth makes a check of AddItem and one of SetItem.
func forBoth(name string, run func(*shopper, change)) []check {
	var checks []check
	for _, c := range changes {
		checks = append(checks, check{c.name + " " + name, func(s *shopper) { run(s, c) }})
	}
	return checks
}

func quantityChecks() []check {
	var checks []check
	for _, quantity := range []int{1, 2, 998, 999} {
		checks = append(checks, forBoth(fmt.Sprint(quantity), func(s *shopper, c change) {
			p := s.shelved(1)[0]
			id := s.cart()
			line, err := c.do(s, id, of(p, quantity))
			s.must(err, c.name)
			s.equal("quantity", line.Quantity, quantity)
			s.holds(id, of(p, quantity))
		})...)
	}
	for _, quantity := range []int{0, -1, -999, 1000, 65537, 1e9, math.MaxInt32, math.MaxInt32 + 2, 1<<32 + 1,
		math.MaxInt, math.MinInt} {
		checks = append(checks, forBoth(fmt.Sprintf("%d is refused", quantity), func(s *shopper, c change) {
			p := s.shelved(2)
			id := s.cart(of(p[0], 5))
			for _, product := range p {
				_, err := c.do(s, id, of(product, quantity))
				s.refused(c.name, err, badQuantity)
			}
			s.holds(id, of(p[0], 5))
		})...)
	}
	for _, tt := range []struct {
		name  string
		adds  []int // the last one passes the cap
		holds int
	}{
		{"999 and 1", []int{999, 1}, 999},
		{"998 and 1 and 1", []int{998, 1, 1}, 999},
		{"998 and 2", []int{998, 2}, 998},
		{"500 and 500", []int{500, 500}, 500},
		{"999 and 999", []int{999, 999}, 999},
		{"1 and 999", []int{1, 999}, 1},
	} {
		checks = append(checks, check{"additions of " + tt.name + " pass the cap", func(s *shopper) {
			additionsPassCap(s, tt.adds, tt.holds)
		}})
	}
	checks = append(checks,
		check{"a refused addition leaves room for a smaller one", smallerAddition},
		check{"set and add pass the cap", setAndAddPassCap})
	return append(checks, forBoth("of product 0 or less is refused", badProduct)...)
}

func additionsPassCap(s *shopper, adds []int, holds int) {
	p := s.shelved(2)
	id := s.cart(of(p[1], 3))
	last := len(adds) - 1
	for _, quantity := range adds[:last] {
		s.add(id, p[0], quantity)
	}
	_, err := s.Shop.AddItem(s.Context(), id, of(p[0], adds[last]))
	s.refused("passing the cap", err, domain.LineFull(p[0]))
	s.holds(id, of(p[0], holds), of(p[1], 3))
}

func smallerAddition(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart(of(p, 990))
	_, err := s.Shop.AddItem(s.Context(), id, of(p, 10))
	s.refused("adding ten", err, domain.LineFull(p))
	s.equal("quantity", s.add(id, p, 9).Quantity, 999)
	s.holds(id, of(p, 999))
}

func setAndAddPassCap(s *shopper) {
	p := s.shelved(1)[0]
	id := s.cart()
	s.set(id, p, 999)
	_, err := s.Shop.AddItem(s.Context(), id, of(p, 1))
	s.refused("adding one", err, domain.LineFull(p))
	s.equal("quantity", s.set(id, p, 10).Quantity, 10)
	s.holds(id, of(p, 10))
}

func badProduct(s *shopper, c change) {
	id := s.cart()
	for _, product := range []domain.ProductID{0, -1, math.MinInt64} {
		_, err := c.do(s, id, of(product, 1))
		s.refused(fmt.Sprintf("%s of product %d", c.name, product), err, badProductID)
	}
	s.holds(id)
}
