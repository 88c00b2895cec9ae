package domaintest

import (
	"fmt"
	"math"
	"slices"

	"splitshop/domain"
)

var (
	badLimit = &domain.Error{Kind: domain.Invalid, Field: "limit", Detail: "limit is a whole number from 1 to 100"}
	badAfter = &domain.Error{Kind: domain.Invalid, Field: "after", Detail: "after is not a cursor of this shop"}
)

func pageChecks() []check {
	checks := []check{
		{"shows a product as it is", pageShowsProducts},
		{"beyond the end there is nothing", pageBeyondTheEnd},
		{"limit is refused before after", limitBeforeAfter},
		{"withdrawn ones are not listed", pageWithoutWithdrawn},
		{"a price change is seen and moves nothing", pagePriceChange},
		{"goes on after a withdrawn one", pageAfterWithdrawn},
		{"next leads to something", nextLeadsToSomething},
		{"fifty of one price by seven with inserts between", fiftyBySeven},
		{"withdrawing between pages hides no other", withdrawBetweenPages},
	}
	for _, limit := range []int{1, 2, 99, 100} {
		checks = append(checks, check{fmt.Sprintf("limit %d", limit), func(s *shopper) { pageOf(s, limit) }})
	}
	for _, limit := range []int{0, 101, -1, 1000, 1e9, math.MaxInt32 + 1, math.MaxInt, math.MinInt} {
		checks = append(checks, check{fmt.Sprintf("limit %d is refused", limit), func(s *shopper) {
			_, err := s.Shop.Products(s.Context(), 0, limit)
			s.refused("asking for a page", err, badLimit)
		}})
	}
	for _, after := range []domain.ProductID{-1, -1000, math.MinInt64} {
		checks = append(checks, check{fmt.Sprintf("after %d is refused", after), func(s *shopper) {
			_, err := s.Shop.Products(s.Context(), after, 20)
			s.refused("asking for a page", err, badAfter)
		}})
	}
	return checks
}

// page asks for a page and checks what holds for every page.
func (s *shopper) page(after domain.ProductID, limit int) domain.Page {
	s.Helper()
	page, err := s.Shop.Products(s.Context(), after, limit)
	s.must(err, "asking for a page")
	if n := len(page.Products); n > limit || (page.Next != 0 && n != limit) {
		s.Errorf("%d products on a page of %d with next %d", n, limit, page.Next)
	}
	last := after
	for _, p := range page.Products {
		if p.ID <= last || p.Withdrawn {
			s.Errorf("product %d (withdrawn: %v) is listed after %d", p.ID, p.Withdrawn, last)
		}
		last = p.ID
	}
	if page.Next != 0 && page.Next != last {
		s.Errorf("next is %d, the page's last product is %d", page.Next, last)
	}
	return page
}

// listed returns which of ids, in their order, the pages from the first one's on show, each as often as it is shown.
// between runs after each page. Others may be adding products, so there may be more pages than ours.
func (s *shopper) listed(ids []domain.ProductID, limit int, between func(seen []domain.ProductID)) []domain.ProductID {
	s.Helper()
	var seen []domain.ProductID
	for after := ids[0] - 1; ; {
		page := s.page(after, limit)
		for _, p := range page.Products {
			if slices.Contains(ids, p.ID) {
				seen = append(seen, p.ID)
			}
		}
		if after = page.Next; after == 0 || after >= slices.Max(ids) {
			return seen
		}
		between(seen)
	}
}

func nothingBetween([]domain.ProductID) {}

// products adds n products of one price.
func (s *shopper) products(n int) []domain.ProductID {
	s.Helper()
	ids := make([]domain.ProductID, n)
	for i := range ids {
		ids[i] = s.product(500)
	}
	return ids
}

func pageOf(s *shopper, limit int) {
	first := s.shelved(shelfSize)[0]
	if n := len(s.page(0, limit).Products); n != limit {
		s.Errorf("%d products on a page of %d from the start", n, limit)
	}
	page := s.page(first-1, limit)
	if n := len(page.Products); n != limit || page.Products[0].ID != first || page.Next != page.Products[limit-1].ID {
		s.Errorf("%d products on a page of %d that starts at product %d, next %d", n, limit, first, page.Next)
	}
}

func pageShowsProducts(s *shopper) {
	id := s.named("on a page", 1999)
	page := s.page(id-1, 1)
	s.equal("page", page.Products, []domain.Product{{ID: id, Name: "on a page", Price: domain.Cents(1999)}})
}

func pageBeyondTheEnd(s *shopper) {
	for _, after := range []domain.ProductID{1 << 40, math.MaxInt64 - 1, math.MaxInt64} {
		s.equal(fmt.Sprintf("page after %d", after), s.page(after, 20), domain.Page{})
	}
}

func limitBeforeAfter(s *shopper) {
	_, err := s.Shop.Products(s.Context(), -1, 0)
	s.refused("asking for a page with both wrong", err, badLimit)
}

func pageWithoutWithdrawn(s *shopper) {
	ids := s.products(9)
	s.withdraw(ids[0], ids[3], ids[4], ids[8])
	want := []domain.ProductID{ids[1], ids[2], ids[5], ids[6], ids[7]}
	s.equal("listed by two", s.listed(ids, 2, nothingBetween), want)
	s.equal("listed by a hundred", s.listed(ids, 100, nothingBetween), want)
}

func pagePriceChange(s *shopper) {
	ids := s.products(5)
	s.setPrice(ids[2], 1)
	s.setPrice(ids[0], domain.MaxPrice)
	s.equal("listed", s.listed(ids, 2, nothingBetween), ids)
	s.equal("price", s.page(ids[2]-1, 1).Products[0].Price, domain.Cents(1))
}

func pageAfterWithdrawn(s *shopper) {
	ids := s.products(3)
	s.withdraw(ids[1])
	if got := s.page(ids[1], 1).Products; len(got) != 1 || got[0].ID <= ids[1] {
		s.Errorf("after withdrawn product %d: %v", ids[1], got)
	}
}

// nextLeadsToSomething lets the majority of several tries decide: another check may add or withdraw the very product in
// question between two pages.
func nextLeadsToSomething(s *shopper) {
	const tries = 9
	toNothing := 0
	for range tries {
		id := s.product(500)
		if page := s.page(id-1, 1); page.Next != 0 && len(s.page(page.Next, 1).Products) == 0 {
			toNothing++
		}
	}
	if toNothing > tries/2 {
		s.Errorf("%d of %d times the page of the last product had a next, and nothing was there", toNothing, tries)
	}
}

func fiftyBySeven(s *shopper) {
	ids := s.products(50)
	seen := s.listed(ids, 7, func([]domain.ProductID) { s.product(500) })
	s.equal("listed", seen, ids)
}

// withdrawBetweenPages withdraws after each page the last product seen, on which the cursor stands, and one that is yet
// to come.
func withdrawBetweenPages(s *shopper) {
	ids := s.products(30)
	gone := map[domain.ProductID]bool{}
	seen := s.listed(ids, 4, func(seen []domain.ProductID) {
		s.withdraw(seen[len(seen)-1])
		if next := len(seen) + len(gone) + 1; next < len(ids) {
			gone[ids[next]] = true
			s.withdraw(ids[next])
		}
	})
	want := slices.DeleteFunc(slices.Clone(ids), func(id domain.ProductID) bool { return gone[id] })
	s.equal("listed", seen, want)
}
