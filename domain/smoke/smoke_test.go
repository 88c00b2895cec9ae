package smoke_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/domain/smoke"
)

func shop(t *testing.T, products int) domain.Shop {
	t.Helper()
	f := domaintest.NewFixture()
	for i := range products {
		if _, err := f.Admin.AddProduct(t.Context(), "something", domain.Cents(int64(199+i))); err != nil {
			t.Fatal(err)
		}
	}
	return f.Shop
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := shop(t, 2)
	for range 2 { // what the first left does not bother the second
		if err := smoke.Check(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
}

// bent is a shop with one thing wrong with it.
type bent struct {
	domain.Shop
	page  func(*domain.Page)
	added func(*domain.Item)
	cart  func(*domain.Cart)
	order func(*domain.Order)
	read  func(*domain.Order)
	again error // of an order of an empty cart
}

func (b bent) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	p, err := b.Shop.Products(ctx, after, limit)
	if b.page != nil {
		b.page(&p)
	}
	return p, err
}

func (b bent) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	if b.added != nil {
		b.added(&item)
	}
	return b.Shop.AddItem(ctx, cart, item)
}

func (b bent) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	c, err := b.Shop.Cart(ctx, id)
	if b.cart != nil {
		b.cart(&c)
	}
	return c, err
}

func (b bent) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	o, err := b.Shop.PlaceOrder(ctx, id)
	if b.order != nil {
		b.order(&o)
	}
	if b.again != nil && errors.Is(err, domain.Conflict) {
		err = b.again
	}
	return o, err
}

func (b bent) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	o, err := b.Shop.Order(ctx, id)
	if b.read != nil {
		b.read(&o)
	}
	return o, err
}

// TestCheckFinds has one thing wrong with each shop.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		products   int
		wrong      bent
	}{
		{"one product", "browsing: a page", 1, bent{}},
		{"a page backwards", "browsing: product 1 after product 2", 2, bent{page: func(p *domain.Page) {
			p.Products[0], p.Products[1] = p.Products[1], p.Products[0]
		}}},
		{"a product that costs nothing", "browsing: product 1", 2, bent{page: func(p *domain.Page) { p.Products[0].Price.Amount = 0 }}},
		{"another price on the page", "browsing: product is", 2, bent{page: func(p *domain.Page) { p.Products[0].Price.Amount++ }}},
		{"an item that is added twice", "filling a cart: lines", 2, bent{added: func(i *domain.Item) { i.Quantity *= 2 }}},
		{"none is taken for one", "filling a cart: adding none", 2, bent{added: func(i *domain.Item) { i.Quantity = max(i.Quantity, 1) }}},
		{"a cart a cent off", "filling a cart: total", 2, bent{cart: func(c *domain.Cart) { c.Total.Amount++ }}},
		{"an order a cent off", "checking out: total of the order", 2, bent{order: func(o *domain.Order) { o.Total.Amount++ }}},
		{"an order that is stored otherwise", "checking out: total of the stored", 2, bent{read: func(o *domain.Order) { o.Total.Amount++ }}},
		{"another order", "checking out: the order is", 2, bent{read: func(o *domain.Order) { o.CartID = domain.CartID{} }}},
		{"an empty order", "checking out: checking the empty cart", 2, bent{again: domain.NotFound}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.wrong.Shop = shop(t, tt.products)
			if err := smoke.Check(t.Context(), tt.wrong); err == nil || !strings.HasPrefix(err.Error(), tt.says) {
				t.Errorf("%v, want %s...", err, tt.says)
			}
		})
	}
}
