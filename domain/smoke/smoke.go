// Package smoke is the part of the shop's conformance suite that needs nothing but the shop: no test, no back door to its catalogue. It
// is short enough to run before every measurement, so that nothing is measured that is not the shop.
package smoke

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"splitshop/domain"
)

// Version counts the changes of what Check looks at, for results to say which one a shop passed.
const Version = 1

// Check shops once: it browses, fills a cart, checks out and reads the order back. An error says in what the shop is not the shop. It
// leaves one order of three of one product and one of another, and needs two products that nobody changes meanwhile.
func Check(ctx context.Context, shop domain.Shop) error {
	v := visit{ctx, shop}
	products, err := v.browse()
	if err != nil {
		return fmt.Errorf("browsing: %w", err)
	}
	cart, err := v.fill(products)
	if err != nil {
		return fmt.Errorf("filling a cart: %w", err)
	}
	if err := v.checkOut(cart); err != nil {
		return fmt.Errorf("checking out: %w", err)
	}
	return nil
}

type visit struct {
	ctx  context.Context
	shop domain.Shop
}

// browse reads one page and the first product again.
func (v visit) browse() ([]domain.Product, error) {
	page, err := v.shop.Products(v.ctx, 0, domain.DefaultPage)
	if err != nil {
		return nil, err
	}
	if len(page.Products) < 2 || len(page.Products) > domain.DefaultPage {
		return nil, fmt.Errorf("a page of at most %d has %d products, want two or more", domain.DefaultPage, len(page.Products))
	}
	last := domain.ProductID(0)
	for _, p := range page.Products {
		if p.ID <= last || p.Withdrawn || domain.CheckProduct(p) != nil {
			return nil, fmt.Errorf("product %d after product %d: %+v", p.ID, last, p)
		}
		last = p.ID
	}
	first, err := v.shop.Product(v.ctx, page.Products[0].ID)
	if err != nil {
		return nil, err
	}
	return page.Products[:2], same("product", first, page.Products[0])
}

// fill makes a cart of three of the first product and one of the second, and tries what is refused.
func (v visit) fill(products []domain.Product) (domain.Cart, error) {
	a, b := products[0], products[1]
	id, err := v.shop.CreateCart(v.ctx)
	if err != nil {
		return domain.Cart{}, err
	}
	for _, item := range []domain.Item{{ProductID: b.ID, Quantity: 1}, {ProductID: a.ID, Quantity: 2}, {ProductID: a.ID, Quantity: 1}} {
		if _, err := v.shop.AddItem(v.ctx, id, item); err != nil {
			return domain.Cart{}, err
		}
	}
	_, err = v.shop.AddItem(v.ctx, id, domain.Item{ProductID: a.ID})
	if err := refused("adding none", err, domain.Invalid); err != nil {
		return domain.Cart{}, err
	}
	ofA, errA := domain.NewLine(a, 3)
	ofB, errB := domain.NewLine(b, 1)
	if err := errors.Join(errA, errB); err != nil {
		return domain.Cart{}, err
	}
	want, err := domain.NewCart(id, []domain.Line{ofA, ofB})
	if err != nil {
		return domain.Cart{}, err
	}
	got, err := v.shop.Cart(v.ctx, id)
	if err != nil {
		return domain.Cart{}, err
	}
	return want, sameLines("cart", got.Lines, want.Lines, got.Total, want.Total)
}

// checkOut orders a cart, reads the order back, and tries it again with what is left of the cart.
func (v visit) checkOut(cart domain.Cart) error {
	placed, err := v.shop.PlaceOrder(v.ctx, cart.ID)
	if err != nil {
		return err
	}
	if err := sameLines("order", placed.Lines, cart.Lines, placed.Total, cart.Total); err != nil {
		return err
	}
	stored, err := v.shop.Order(v.ctx, placed.ID)
	if err != nil {
		return err
	}
	if stored.ID != placed.ID || stored.CartID != cart.ID || !stored.PlacedAt.Equal(placed.PlacedAt) {
		return fmt.Errorf("the order is %+v, and stored as %+v", placed, stored)
	}
	if err := sameLines("stored order", stored.Lines, placed.Lines, stored.Total, placed.Total); err != nil {
		return err
	}
	_, err = v.shop.PlaceOrder(v.ctx, cart.ID)
	return refused("checking the empty cart out", err, domain.Conflict)
}

func refused(doing string, err error, want domain.Kind) error {
	if err == nil {
		return fmt.Errorf("%s: want it refused as %q", doing, want.Error())
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: want it refused as %q, not this: %w", doing, want.Error(), err)
	}
	return nil
}

func sameLines(what string, got, want []domain.Line, total, wantTotal domain.Money) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("lines of the %s are %+v, want %+v", what, got, want)
	}
	return same("total of the "+what, total, wantTotal)
}

func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s is %+v, want %+v", what, got, want)
	}
	return nil
}
