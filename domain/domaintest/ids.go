package domaintest

import (
	"math/bits"

	"splitshop/domain"
)

func idChecks() []check {
	return []check{
		{"of carts are unguessable", func(s *shopper) {
			s.unguessable(func() [16]byte { return s.cart() })
		}},
		{"of orders are unguessable", func(s *shopper) {
			s.unguessable(func() [16]byte { return s.order(s.cartOf(s.shelved(1)...)).ID })
		}},
		{"text form reads back", idTextForm},
	}
}

// unguessable looks for what betrays an id that is counted, timed or made from the one before. The limits leave honest
// randomness alone: two ids differ in 61 +- 5.5 of their 122 random bits.
func (s *shopper) unguessable(next func() [16]byte) {
	s.Helper()
	const n, few = 40, 25
	seen := map[[16]byte]bool{}
	var before, everSet, everClear [16]byte
	for i := range n {
		id := next()
		if seen[id] {
			s.Fatalf("id %x was given out twice", id)
		}
		seen[id] = true
		if id[6]>>4 != 4 || id[8]>>6 != 0b10 {
			s.Errorf("id %x is not a version 4 UUID", id)
		}
		differ := 0
		for b := range id {
			differ += bits.OnesCount8(id[b] ^ before[b])
			everSet[b] |= id[b]
			everClear[b] |= ^id[b]
		}
		if i > 0 && differ < few {
			s.Errorf("id %x differs from the one before in %d bits", id, differ)
		}
		before = id
	}
	constant := 0
	for b := range everSet {
		constant += 8 - bits.OnesCount8(everSet[b]&everClear[b])
	}
	s.equal("bits that are the same in every id (version and variant)", constant, 6)
}

func idTextForm(s *shopper) {
	cart := s.cartOf(s.shelved(1)...)
	gotCart, err := domain.ParseCartID(cart.String())
	s.must(err, "reading the cart's id")
	s.equal("cart's id", gotCart, cart)
	order := s.order(cart).ID
	gotOrder, err := domain.ParseOrderID(order.String())
	s.must(err, "reading the order's id")
	s.equal("order's id", gotOrder, order)
}
