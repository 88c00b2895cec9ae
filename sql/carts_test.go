package sql_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// adder is what both the cart store and the monolith's shop can do with lines.
type adder struct {
	add func(context.Context, domain.CartID, domain.Item) error
	set func(context.Context, domain.CartID, domain.Item) error
}

// adders calls test for each way to put a line.
func adders(t *testing.T, test func(t *testing.T, db *sqltest.DB, carts *sql.Carts, a adder)) {
	t.Helper()
	t.Run("carts", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		carts := sql.NewCarts(db.Pool(sql.RoleCart, 20))
		test(t, db, carts, adder{
			add: func(ctx context.Context, id domain.CartID, item domain.Item) error {
				_, err := carts.AddItem(ctx, id, item)
				return err
			},
			set: carts.SetItem,
		})
	})
	t.Run("monolith", func(t *testing.T) {
		t.Parallel()
		db := sqltest.New(t)
		pool := db.Pool(sql.RoleMonolith, 20)
		shop := sql.NewShop(pool)
		test(t, db, sql.NewCarts(pool), adder{
			add: func(ctx context.Context, id domain.CartID, item domain.Item) error {
				_, err := shop.AddItem(ctx, id, item)
				return err
			},
			set: func(ctx context.Context, id domain.CartID, item domain.Item) error {
				_, err := shop.SetItem(ctx, id, item)
				return err
			},
		})
	})
}

func of(product domain.ProductID, quantity int) domain.Item {
	return domain.Item{ProductID: product, Quantity: quantity}
}

// race runs f(0) to f(n-1) at the same time and returns their errors.
func race(n int, f func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = f(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// succeeded counts the calls that worked, where the others must have failed with want.
func succeeded(t *testing.T, errs []error, want error) int {
	t.Helper()
	n := 0
	for i, err := range errs {
		switch {
		case err == nil:
			n++
		case want == nil || domain.Describe(err).Detail != domain.Describe(want).Detail:
			t.Fatalf("call %d: %v, want %v", i, err, want)
		}
	}
	return n
}

func newCart(t *testing.T, carts *sql.Carts) domain.CartID {
	t.Helper()
	id, err := carts.CreateCart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func items(t *testing.T, carts *sql.Carts, id domain.CartID) []domain.Item {
	t.Helper()
	got, err := carts.Items(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkCount fails where a cart's count of lines is not the number of its items.
func checkCount(t *testing.T, db *sqltest.DB) {
	t.Helper()
	wrong := db.Query(`
		SELECT c.id, c.lines, count(i.*) FROM cart.carts c LEFT JOIN cart.items i ON i.cart_id = c.id
		GROUP BY c.id HAVING c.lines <> count(i.*)`)
	if len(wrong) > 0 {
		t.Errorf("carts whose count is not the number of their items: %v", wrong)
	}
}

func TestRaceForTheLastLine(t *testing.T) {
	t.Parallel()
	adders(t, func(t *testing.T, db *sqltest.DB, carts *sql.Carts, a adder) {
		for name, put := range map[string]func(context.Context, domain.CartID, domain.Item) error{"add": a.add, "set": a.set} {
			id := newCart(t, carts)
			errs := race(2*domain.MaxLines, func(i int) error {
				return put(t.Context(), id, of(domain.ProductID(i+1), 1))
			})
			if n := succeeded(t, errs, domain.CartFull()); n != domain.MaxLines {
				t.Errorf("%s: %d lines were accepted, want %d", name, n, domain.MaxLines)
			}
			if n := len(items(t, carts, id)); n != domain.MaxLines {
				t.Errorf("%s: the cart has %d lines, want %d", name, n, domain.MaxLines)
			}
			// A full cart still takes more of what it has.
			if err := put(t.Context(), id, of(items(t, carts, id)[0].ProductID, 2)); err != nil {
				t.Errorf("%s: more of a line of a full cart: %v", name, err)
			}
		}
		checkCount(t, db)
	})
}

func TestRaceForTheLastPieces(t *testing.T) {
	t.Parallel()
	adders(t, func(t *testing.T, db *sqltest.DB, carts *sql.Carts, a adder) {
		id := newCart(t, carts)
		for product := domain.ProductID(1); product <= 20; product++ {
			errs := race(2, func(int) error {
				return a.add(t.Context(), id, of(product, 500))
			})
			if n := succeeded(t, errs, domain.LineFull(product)); n != 1 {
				t.Fatalf("%d of two adds of 500 were accepted", n)
			}
			errs = race(5, func(int) error {
				return a.add(t.Context(), id, of(product, 100))
			})
			if n := succeeded(t, errs, domain.LineFull(product)); n != 4 {
				t.Fatalf("%d of five adds of 100 were accepted on 500", n)
			}
		}
		for _, item := range items(t, carts, id) {
			if item.Quantity != 900 {
				t.Errorf("%v, want 900 of each", item)
			}
		}
		checkCount(t, db)
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	carts, shop := sql.NewCarts(db.Pool(sql.RoleCart, 2)), sql.NewShop(db.Pool(sql.RoleMonolith, 2))
	id, unknown := newCart(t, carts), domain.NewCartID()
	const never = domain.ProductID(1e9)
	if _, err := carts.AddItem(t.Context(), id, of(1, 999)); err != nil {
		t.Fatal(err)
	}
	add := func(cart domain.CartID, item domain.Item) error {
		_, err := carts.AddItem(t.Context(), cart, item)
		return err
	}
	shopAdd := func(cart domain.CartID, item domain.Item) error {
		_, err := shop.AddItem(t.Context(), cart, item)
		return err
	}
	shopSet := func(cart domain.CartID, item domain.Item) error {
		_, err := shop.SetItem(t.Context(), cart, item)
		return err
	}
	_, itemsErr := carts.Items(t.Context(), unknown)
	_, cartErr := shop.Cart(t.Context(), unknown)
	_, orderErr := shop.PlaceOrder(t.Context(), unknown)
	tests := []struct {
		name      string
		err, want error
	}{
		{"items of unknown cart", itemsErr, domain.NoCart()},
		{"remove from unknown cart", carts.RemoveItem(t.Context(), unknown, 1), domain.NoCart()},
		{"take from unknown cart", carts.Take(t.Context(), unknown, []domain.Item{of(1, 1)}), domain.NoCart()},
		{"take nothing from unknown cart", carts.Take(t.Context(), unknown, nil), domain.NoCart()},
		{"add to unknown cart", add(unknown, of(1, 1)), domain.NoCart()},
		{"set in unknown cart", carts.SetItem(t.Context(), unknown, of(1, 1)), domain.NoCart()},
		{"add to full line", add(id, of(1, 1)), domain.LineFull(1)},
		{"shop: view unknown cart", cartErr, domain.NoCart()},
		{"shop: order unknown cart", orderErr, domain.NoCart()},
		{"shop: add to unknown cart", shopAdd(unknown, of(1, 1)), domain.NoCart()},
		{"shop: add unknown product to unknown cart", shopAdd(unknown, of(never, 1)), domain.NoProduct(never)},
		{"shop: set in unknown cart", shopSet(unknown, of(1, 1)), domain.NoCart()},
		{"shop: set unknown product in unknown cart", shopSet(unknown, of(never, 1)), domain.NoProduct(never)},
		{"shop: add to full line", shopAdd(id, of(1, 1)), domain.LineFull(1)},
	}
	for _, tt := range tests {
		if tt.err == nil || domain.Describe(tt.err).Detail != domain.Describe(tt.want).Detail {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	if diff := cmp.Diff([]domain.Item{of(1, 999)}, items(t, carts, id)); diff != "" {
		t.Errorf("the cart was changed (-want +got):\n%s", diff)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		have, ordered, want []domain.Item
	}{
		{"all", []domain.Item{of(1, 2), of(2, 3)}, []domain.Item{of(1, 2), of(2, 3)}, nil},
		{"what was added stays", []domain.Item{of(1, 5), of(2, 3), of(3, 1)}, []domain.Item{of(1, 2), of(2, 3)},
			[]domain.Item{of(1, 3), of(3, 1)}},
		{"what was reduced meanwhile goes", []domain.Item{of(1, 1), of(2, 1)}, []domain.Item{of(1, 5)}, []domain.Item{of(2, 1)}},
		{"what was removed meanwhile", []domain.Item{of(2, 1)}, []domain.Item{of(1, 5)}, []domain.Item{of(2, 1)}},
		{"nothing", []domain.Item{of(2, 1)}, nil, []domain.Item{of(2, 1)}},
	}
	db := sqltest.New(t)
	carts := sql.NewCarts(db.Pool(sql.RoleCart, 2))
	for _, tt := range tests {
		id := newCart(t, carts)
		for _, item := range tt.have {
			if err := carts.SetItem(t.Context(), id, item); err != nil {
				t.Fatal(err)
			}
		}
		if err := carts.Take(t.Context(), id, tt.ordered); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, items(t, carts, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	checkCount(t, db)
}

// Additions and subtractions of the same line at the same time all count.
func TestTakeRacesWithAdd(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	carts := sql.NewCarts(db.Pool(sql.RoleCart, 20))
	id := newCart(t, carts)
	start := []domain.Item{of(1, 400), of(2, 400)}
	for _, item := range start {
		if err := carts.SetItem(t.Context(), id, item); err != nil {
			t.Fatal(err)
		}
	}
	succeeded(t, race(200, func(i int) error {
		if i%2 == 0 {
			return carts.Take(t.Context(), id, []domain.Item{of(2, 3), of(1, 3)})
		}
		_, err1 := carts.AddItem(t.Context(), id, of(1, 3))
		_, err2 := carts.AddItem(t.Context(), id, of(2, 3))
		return errors.Join(err1, err2)
	}), nil)
	if diff := cmp.Diff(start, items(t, carts, id)); diff != "" {
		t.Errorf("100 times 3 added and taken (-want +got):\n%s", diff)
	}
}

// Every statement at once, on few carts and lines, in every order: the count stays right, and Postgres never has to
// end one of them for a deadlock.
func TestCartsUnderEverything(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	pool := db.Pool(sql.RoleCart, 20)
	carts := sql.NewCarts(pool)
	ids := []domain.CartID{newCart(t, carts), newCart(t, carts)}
	succeeded(t, race(20, func(worker int) error {
		r := rand.New(rand.NewPCG(1, uint64(worker)))
		for range 60 {
			id, item := ids[r.IntN(len(ids))], of(domain.ProductID(1+r.IntN(8)), 1+r.IntN(3))
			var err error
			switch r.IntN(4) {
			case 0:
				_, err = carts.AddItem(t.Context(), id, item)
			case 1:
				err = carts.SetItem(t.Context(), id, item)
			case 2:
				err = carts.RemoveItem(t.Context(), id, item.ProductID)
			case 3:
				all, readErr := carts.Items(t.Context(), id)
				r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				err = errors.Join(readErr, carts.Take(t.Context(), id, all))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), nil)
	checkCount(t, db)
	if n := pool.Stats().Restarts; n != 0 {
		t.Errorf("%d statements had to start again: the order of locks allows deadlocks", n)
	}
}
