package domaintest

import (
	"context"
	"slices"
	"sync"
	"time"

	"splitshop/domain"
)

func concurrencyChecks() []check {
	return []check{
		{"additions to one line all count", addAtOnce},
		{"additions racing over the cap", raceOverCap},
		{"additions of more products than a cart holds", raceOverLines},
		{"settings of one line end at one of them", setAtOnce},
		{"removals of one line", removeAtOnce},
		{"additions to many carts stay apart", manyCartsAtOnce},
		{"checkouts of the same products in opposite order", oppositeCheckouts},
		{"what is added during a checkout is not lost", addDuringCheckout},
	}
}

// atOnce runs do n times at once and returns the errors by index.
func atOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// allDone checks that there is no error among errs.
func (s *shopper) allDone(doing string, errs []error) {
	s.Helper()
	for _, err := range errs {
		s.must(err, doing)
	}
}

// someRefused checks that so many of errs are none and all others are the refusal want.
func (s *shopper) someRefused(doing string, errs []error, done int, want error) {
	s.Helper()
	refusals := 0
	for _, err := range errs {
		if err != nil {
			refusals++
			s.refused(doing, err, want)
		}
	}
	s.equal(doing+": done", len(errs)-refusals, done)
}

func addAtOnce(s *shopper) {
	const n = 32
	p := s.product(105)
	id := s.cart()
	var mu sync.Mutex
	var answers []int
	s.allDone("adding one", atOnce(n, func(int) error {
		line, err := s.Shop.AddItem(s.Context(), id, of(p, 1))
		mu.Lock()
		defer mu.Unlock()
		answers = append(answers, line.Quantity)
		return err
	}))
	s.holds(id, of(p, n))
	slices.Sort(answers)
	s.equal("different quantities answered", len(slices.Compact(answers)), n)
}

func raceOverCap(s *shopper) {
	const n, each, fit = 30, 50, 19
	p := s.shelved(1)[0]
	id := s.cart()
	s.someRefused("adding fifty", atOnce(n, func(int) error {
		_, err := s.Shop.AddItem(s.Context(), id, of(p, each))
		return err
	}), fit, domain.LineFull(p))
	s.holds(id, of(p, fit*each))
}

func raceOverLines(s *shopper) {
	p := s.shelved(shelfSize)
	id := s.cart()
	s.someRefused("adding a product", atOnce(len(p), func(i int) error {
		_, err := s.Shop.AddItem(s.Context(), id, of(p[i], 1))
		return err
	}), domain.MaxLines, domain.CartFull())
	s.equal("lines", len(s.view(id).Lines), domain.MaxLines)
}

func setAtOnce(s *shopper) {
	const n = 16
	p := s.shelved(1)[0]
	id := s.cart()
	s.allDone("setting", atOnce(n, func(i int) error {
		_, err := s.Shop.SetItem(s.Context(), id, of(p, i+1))
		return err
	}))
	if items := itemsOf(s.view(id).Lines); len(items) != 1 || items[0].Quantity < 1 || items[0].Quantity > n {
		s.Errorf("items in the cart: %v", items)
	}
}

func removeAtOnce(s *shopper) {
	p := s.shelved(2)
	id := s.cartOf(p...)
	s.allDone("removing", atOnce(8, func(int) error { return s.Shop.RemoveItem(s.Context(), id, p[0]) }))
	s.holds(id, of(p[1], 1))
}

func manyCartsAtOnce(s *shopper) {
	const n = 16
	p := s.shelved(n)
	ids := make([]domain.CartID, n)
	s.allDone("filling a cart", atOnce(n, func(i int) error {
		var err error
		if ids[i], err = s.Shop.CreateCart(s.Context()); err != nil {
			return err
		}
		_, err = s.Shop.AddItem(s.Context(), ids[i], of(p[i], i+1))
		return err
	}))
	for i, id := range ids {
		s.holds(id, of(p[i], i+1))
	}
}

func oppositeCheckouts(s *shopper) {
	const carts, products = 12, 20
	forth := s.shelved(products)
	back := slices.Clone(forth)
	slices.Reverse(back)
	ids := make([]domain.CartID, carts)
	s.allDone("filling a cart", atOnce(carts, func(i int) error {
		var err error
		if ids[i], err = s.Shop.CreateCart(s.Context()); err != nil {
			return err
		}
		for _, p := range [][]domain.ProductID{forth, back}[i%2] {
			if _, err := s.Shop.AddItem(s.Context(), ids[i], of(p, 1)); err != nil {
				return err
			}
		}
		return nil
	}))
	orders := make([]domain.Order, carts)
	s.allDone("checking out", atOnce(carts, func(i int) error {
		var err error
		orders[i], err = s.Shop.PlaceOrder(s.Context(), ids[i])
		return err
	}))
	for i, order := range orders {
		s.equal("cart of the order", order.CartID, ids[i])
		s.equal("stored order", s.stored(order.ID), order)
		s.equal("lines", len(order.Lines), products)
		s.holds(ids[i])
	}
}

// addDuringCheckout orders again and again while additions come in. What was added is either in an order or still in the
// cart, and never both.
func addDuringCheckout(s *shopper) {
	const additions = 24
	p := s.shelved(1)[0]
	id := s.cart(of(p, 1))
	adding := make(chan []error, 1)
	go func() {
		adding <- atOnce(additions, func(int) error {
			_, err := s.Shop.AddItem(s.Context(), id, of(p, 1))
			return err
		})
	}()
	counted := 0
	for range 5 {
		order, err := s.Shop.PlaceOrder(s.Context(), id)
		if domain.KindOf(err) == domain.Conflict {
			s.refused("checking out between additions", err, domain.CartEmpty())
			continue
		}
		if err != nil {
			s.Errorf("checking out during additions: %v", err)
			break
		}
		counted += order.Lines[0].Quantity
	}
	s.allDone("adding", <-adding)
	for _, item := range itemsOf(s.view(id).Lines) {
		counted += item.Quantity
	}
	s.equal("ordered and left", counted, additions+1)
}

// endedContextChecks call every operation with a context that is over. Whether it was done is unknown, so what it was
// called on is not used again.
func endedContextChecks() []check {
	operations := []struct {
		name string
		do   func(context.Context, domain.Shop, domain.CartID, domain.ProductID) error
	}{
		{"page", func(ctx context.Context, shop domain.Shop, _ domain.CartID, _ domain.ProductID) error {
			_, err := shop.Products(ctx, 0, 1)
			return err
		}},
		{"product", func(ctx context.Context, shop domain.Shop, _ domain.CartID, p domain.ProductID) error {
			_, err := shop.Product(ctx, p)
			return err
		}},
		{"create cart", func(ctx context.Context, shop domain.Shop, _ domain.CartID, _ domain.ProductID) error {
			_, err := shop.CreateCart(ctx)
			return err
		}},
		{"view cart", func(ctx context.Context, shop domain.Shop, id domain.CartID, _ domain.ProductID) error {
			_, err := shop.Cart(ctx, id)
			return err
		}},
		{"add", func(ctx context.Context, shop domain.Shop, id domain.CartID, p domain.ProductID) error {
			_, err := shop.AddItem(ctx, id, of(p, 1))
			return err
		}},
		{"set", func(ctx context.Context, shop domain.Shop, id domain.CartID, p domain.ProductID) error {
			_, err := shop.SetItem(ctx, id, of(p, 1))
			return err
		}},
		{"remove", func(ctx context.Context, shop domain.Shop, id domain.CartID, p domain.ProductID) error {
			return shop.RemoveItem(ctx, id, p)
		}},
		{"check out", func(ctx context.Context, shop domain.Shop, id domain.CartID, _ domain.ProductID) error {
			_, err := shop.PlaceOrder(ctx, id)
			return err
		}},
		{"order", func(ctx context.Context, shop domain.Shop, _ domain.CartID, _ domain.ProductID) error {
			_, err := shop.Order(ctx, domain.NewOrderID())
			return err
		}},
	}
	var checks []check
	for _, op := range operations {
		checks = append(checks, check{op.name, func(s *shopper) {
			id, p := s.cartOf(s.shelved(1)...), s.shelved(2)[1]
			for name, ctx := range endedContexts(s.Context()) {
				s.refused(op.name+" with a context "+name, op.do(ctx, s.Shop, id, p), domain.Describe(domain.Deadline))
			}
			s.order(s.cart(of(p, 3)))
		}})
	}
	return checks
}

func endedContexts(parent context.Context) map[string]context.Context {
	cancelled, cancel := context.WithCancel(parent)
	cancel()
	expired, cancel := context.WithDeadline(parent, time.Unix(0, 0))
	cancel()
	return map[string]context.Context{"cancelled": cancelled, "expired": expired}
}
