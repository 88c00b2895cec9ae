package sql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"splitshop/domain"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

// Case 5: fifty checkouts and adds at once, over twenty products in opposite orders.
func TestCheckoutsAndAddsAtOnce(t *testing.T) {
	t.Parallel()
	const workers, products, carts = 50, 20, 5
	for _, s := range shops {
		t.Run("shop="+s.name, func(t *testing.T) {
			t.Parallel()
			db := sqltest.New(t)
			shop := s.make(db)
			ids := make([]domain.CartID, carts)
			for i := range ids {
				var err error
				if ids[i], err = shop.CreateCart(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			succeeded(t, race(workers, func(worker int) error {
				order := rand.New(rand.NewPCG(2, uint64(worker/2))).Perm(products)
				if worker%2 == 0 {
					slices.Reverse(order)
				}
				cart := ids[worker%carts]
				for _, i := range order {
					item := of(domain.ProductID(i+1), 1)
					if _, err := shop.AddItem(t.Context(), cart, item); err != nil {
						return fmt.Errorf("adding: %w", err)
					}
				}
				_, err := shop.PlaceOrder(t.Context(), cart)
				return err
			}), domain.CartEmpty())
			checkCount(t, db)
			checkTotals(t, db)
			if s.name != "monolith" {
				return // two checkouts of one cart at once may order the same: the documented price of two transactions
			}
			sum := db.Query(`
				SELECT (SELECT COALESCE(sum(quantity), 0) FROM orders.lines),
					(SELECT COALESCE(sum(quantity), 0) FROM cart.items)`)
			var ordered, left int
			if _, err := fmt.Sscan(sum[0][0]+" "+sum[0][1], &ordered, &left); err != nil {
				t.Fatal(err)
			}
			if ordered+left != workers*products {
				t.Errorf("%d ordered and %d left in carts, of %d added", ordered, left, workers*products)
			}
		})
	}
}

// The monolith's checkout is one moment: a quantity set at the same time is set before it and ordered, or after it and kept.
func TestCheckoutIsOneMoment(t *testing.T) {
	t.Parallel()
	shop := newMonolith(sqltest.New(t)).(*sql.Shop)
	for range 100 {
		cart, err := shop.CreateCart(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shop.AddItem(t.Context(), cart, of(1, 5)); err != nil {
			t.Fatal(err)
		}
		var order domain.Order
		succeeded(t, race(2, func(i int) error {
			if i == 0 {
				order, err = shop.PlaceOrder(t.Context(), cart)
				return err
			}
			_, err := shop.SetItem(t.Context(), cart, of(1, 7))
			return err
		}), nil)
		left, err := shop.Cart(t.Context(), cart)
		if err != nil {
			t.Fatal(err)
		}
		ordered := order.Lines[0].Quantity
		before := ordered == 7 && len(left.Lines) == 0
		after := ordered == 5 && len(left.Lines) == 1 && left.Lines[0].Quantity == 7
		if !before && !after {
			t.Fatalf("5 in the cart, set to 7 during the checkout: %d ordered and %v left", ordered, left.Lines)
		}
	}
}
