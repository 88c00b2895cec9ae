package domaintest

import (
	"fmt"
	"math"

	"splitshop/domain"
)

func productChecks() []check {
	checks := []check{
		{"a withdrawn one is not found", withdrawnProduct},
		{"a price change is seen at once", priceChange},
		{"ids grow", idsGrow},
	}
	for _, id := range []domain.ProductID{1 << 40, math.MaxInt64} {
		checks = append(checks, check{fmt.Sprintf("unknown id %d", id), func(s *shopper) {
			_, err := s.Shop.Product(s.Context(), id)
			s.refused("asking for it", err, domain.NoProduct(id))
		}})
	}
	for _, cents := range []int64{1, 5, 99, 105, 1999, 100_000, domain.MaxPrice} {
		checks = append(checks, check{"price " + domain.Cents(cents).String(), func(s *shopper) {
			id := s.named("priced", cents)
			got, err := s.Shop.Product(s.Context(), id)
			s.must(err, "asking for the product")
			s.equal("product", got, domain.Product{ID: id, Name: "priced", Price: domain.Cents(cents)})
		}})
	}
	return checks
}

func withdrawnProduct(s *shopper) {
	id := s.product(100)
	s.withdraw(id)
	_, err := s.Shop.Product(s.Context(), id)
	s.refused("asking for it", err, domain.NoProduct(id))
}

func priceChange(s *shopper) {
	id := s.product(100)
	for _, cents := range []int64{250, 1, domain.MaxPrice} {
		s.setPrice(id, cents)
		p, err := s.Shop.Product(s.Context(), id)
		s.must(err, "asking for the product")
		s.equal("price", p.Price, domain.Cents(cents))
	}
}

func idsGrow(s *shopper) {
	before := domain.ProductID(0)
	for range 5 {
		id := s.product(100)
		if id <= before {
			s.Errorf("product %d was added after product %d", id, before)
		}
		before = id
	}
}
