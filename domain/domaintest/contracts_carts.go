package domaintest

import (
	"fmt"
	"math"

	"splitshop/domain"
)

func cartsContract() []contractCheck {
	return []contractCheck{
		{"a new one has no items", contractNewCart},
		{"items are in the order of product ids", contractItemsOrdered},
		{"nothing is known of products", contractAnyProduct},
		{"add answers the quantity", contractAddAnswers},
		{"bad items are refused", contractBadItems},
		{"unknown in each operation", contractUnknownCart},
		{"a full line is refused", contractLineFull},
		{"a full cart is refused", contractCartFull},
		{"remove", contractRemove},
		{"additions at once all count", contractAddAtOnce},
	}
}

func contractNewCart(s *insider) { s.equal("items", s.items(s.fill()), []domain.Item{}) }

func contractItemsOrdered(s *insider) {
	id := s.fill(of(30, 3), of(10, 1), of(1<<40, 4), of(20, 2))
	s.equal("items", s.items(id), []domain.Item{of(10, 1), of(20, 2), of(30, 3), of(1<<40, 4)})
}

func contractAnyProduct(s *insider) {
	id := s.fill(of(math.MaxInt64, 2))
	_, err := s.Carts.AddItem(s.Context(), id, of(math.MaxInt64-1, 1))
	s.must(err, "adding a product nobody knows")
	s.equal("items", s.items(id), []domain.Item{of(math.MaxInt64-1, 1), of(math.MaxInt64, 2)})
}

func contractAddAnswers(s *insider) {
	id := s.fill(of(7, 2))
	for _, want := range []int{5, 8} {
		got, err := s.Carts.AddItem(s.Context(), id, of(7, 3))
		s.must(err, "adding")
		s.equal("quantity", got, want)
	}
}

func contractBadItems(s *insider) {
	id := s.fill(of(7, 2))
	for _, tt := range []struct {
		item domain.Item
		want error
	}{
		{of(7, 0), badQuantity},
		{of(7, -1), badQuantity},
		{of(7, 1000), badQuantity},
		{of(7, math.MaxInt32+2), badQuantity},
		{of(7, math.MaxInt), badQuantity},
		{of(0, 1), badProductID},
		{of(-1, 1), badProductID},
	} {
		_, err := s.Carts.AddItem(s.Context(), id, tt.item)
		s.refused(fmt.Sprintf("adding %v", tt.item), err, tt.want)
		s.refused(fmt.Sprintf("setting %v", tt.item), s.Carts.SetItem(s.Context(), id, tt.item), tt.want)
	}
	s.equal("items", s.items(id), []domain.Item{of(7, 2)})
}

func contractUnknownCart(s *insider) {
	id := domain.NewCartID()
	_, err := s.Carts.Items(s.Context(), id)
	s.refused("items", err, domain.NoCart())
	_, err = s.Carts.AddItem(s.Context(), id, of(7, 1))
	s.refused("add", err, domain.NoCart())
	s.refused("set", s.Carts.SetItem(s.Context(), id, of(7, 1)), domain.NoCart())
	s.refused("remove", s.Carts.RemoveItem(s.Context(), id, 7), domain.NoCart())
	s.refused("take", s.Carts.Take(s.Context(), id, []domain.Item{of(7, 1)}), domain.NoCart())
}

func contractLineFull(s *insider) {
	id := s.fill(of(7, 998))
	_, err := s.Carts.AddItem(s.Context(), id, of(7, 2))
	s.refused("adding two", err, domain.LineFull(7))
	s.equal("items", s.items(id), []domain.Item{of(7, 998)})
}

func contractCartFull(s *insider) {
	items := make([]domain.Item, domain.MaxLines)
	for i := range items {
		items[i] = of(domain.ProductID(i+1), i+1)
	}
	id := s.fill(items...)
	_, err := s.Carts.AddItem(s.Context(), id, of(101, 1))
	s.refused("adding a line", err, domain.CartFull())
	s.refused("setting a line", s.Carts.SetItem(s.Context(), id, of(101, 1)), domain.CartFull())
	s.must(s.Carts.SetItem(s.Context(), id, items[99]), "setting a line that is there")
	s.equal("items", s.items(id), items)
	s.must(s.Carts.Take(s.Context(), id, items), "taking everything")
	s.equal("items afterwards", s.items(id), []domain.Item{})
}

func contractRemove(s *insider) {
	id := s.fill(of(7, 2), of(8, 3))
	for range 2 {
		s.must(s.Carts.RemoveItem(s.Context(), id, 7), "removing")
	}
	s.must(s.Carts.RemoveItem(s.Context(), id, noProduct), "removing what was never there")
	s.equal("items", s.items(id), []domain.Item{of(8, 3)})
}

func contractAddAtOnce(s *insider) {
	const n = 24
	id := s.fill()
	s.allDone("adding one", atOnce(n, func(int) error {
		_, err := s.Carts.AddItem(s.Context(), id, of(7, 1))
		return err
	}))
	s.equal("items", s.items(id), []domain.Item{of(7, n)})
}

func takeContract() []contractCheck {
	checks := []contractCheck{
		{"what was added meanwhile stays", takeAndAddAtOnce},
		{"leaves other carts alone", takeLeavesOthers},
	}
	for _, tt := range []struct {
		name               string
		holds, takes, left []domain.Item
	}{
		{"everything", []domain.Item{of(7, 2), of(8, 3)}, []domain.Item{of(7, 2), of(8, 3)}, nil},
		{"nothing", []domain.Item{of(7, 2)}, nil, []domain.Item{of(7, 2)}},
		{"one line of two", []domain.Item{of(7, 2), of(8, 3)}, []domain.Item{of(8, 3)}, []domain.Item{of(7, 2)}},
		{"a part of a line", []domain.Item{of(7, 5)}, []domain.Item{of(7, 2)}, []domain.Item{of(7, 3)}},
		{"all but one", []domain.Item{of(7, 999)}, []domain.Item{of(7, 998)}, []domain.Item{of(7, 1)}},
		{"more than there is", []domain.Item{of(7, 2), of(8, 1)}, []domain.Item{of(7, 3)}, []domain.Item{of(8, 1)}},
		{"a line that is not there", []domain.Item{of(7, 2)}, []domain.Item{of(8, 1)}, []domain.Item{of(7, 2)}},
		{"of an empty cart", nil, []domain.Item{of(7, 1)}, nil},
		{"in another order", []domain.Item{of(7, 2), of(8, 3), of(9, 4)}, []domain.Item{of(9, 4), of(7, 1)},
			[]domain.Item{of(7, 1), of(8, 3)}},
	} {
		checks = append(checks, contractCheck{tt.name, func(s *insider) {
			id := s.fill(tt.holds...)
			s.must(s.Carts.Take(s.Context(), id, tt.takes), "taking")
			s.equal("items left", s.items(id), tt.left)
		}})
	}
	return checks
}

// takeAndAddAtOnce takes three while six are added, one by one. Which comes first does not matter.
func takeAndAddAtOnce(s *insider) {
	id := s.fill(of(7, 4))
	s.allDone("taking and adding", atOnce(9, func(i int) error {
		if i < 3 {
			return s.Carts.Take(s.Context(), id, []domain.Item{of(7, 1)})
		}
		_, err := s.Carts.AddItem(s.Context(), id, of(7, 1))
		return err
	}))
	s.equal("items left", s.items(id), []domain.Item{of(7, 7)})
}

func takeLeavesOthers(s *insider) {
	a, b := s.fill(of(7, 2)), s.fill(of(7, 2))
	s.must(s.Carts.Take(s.Context(), a, []domain.Item{of(7, 2)}), "taking")
	s.equal("items of the other", s.items(b), []domain.Item{of(7, 2)})
}
