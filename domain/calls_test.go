package domain_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
)

// calls passes every call on to real stores and notes it. One call may be made to fail instead, and look-ups to answer
// something else. It is for one goroutine.
type calls struct {
	catalog domain.Catalog
	carts   domain.Carts
	store   domain.OrderStore
	orders  domain.Orders

	noted  []string
	fails  string // the call that fails with err
	err    error
	lookup func([]domain.Product) []domain.Product
}

// want checks which calls were made since it was last asked.
func (c *calls) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, c.noted); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	c.noted = nil
}

func (c *calls) note(call string) error {
	c.noted = append(c.noted, call)
	if call == c.fails {
		return c.err
	}
	return nil
}

// noted makes a call that answers something.
func noted[T any](c *calls, name string, call func() (T, error)) (T, error) {
	if err := c.note(name); err != nil {
		var none T
		return none, err
	}
	return call()
}

func (c *calls) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	return noted(c, "Products", func() (domain.Page, error) { return c.catalog.Products(ctx, after, limit) })
}

func (c *calls) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	return noted(c, "Product", func() (domain.Product, error) { return c.catalog.Product(ctx, id) })
}

func (c *calls) Lookup(ctx context.Context, ids []domain.ProductID) ([]domain.Product, error) {
	products, err := noted(c, "Lookup", func() ([]domain.Product, error) { return c.catalog.Lookup(ctx, ids) })
	if c.lookup != nil {
		products = c.lookup(products)
	}
	return products, err
}

func (c *calls) CreateCart(ctx context.Context) (domain.CartID, error) {
	return noted(c, "CreateCart", func() (domain.CartID, error) { return c.carts.CreateCart(ctx) })
}

func (c *calls) Items(ctx context.Context, id domain.CartID) ([]domain.Item, error) {
	return noted(c, "Items", func() ([]domain.Item, error) { return c.carts.Items(ctx, id) })
}

func (c *calls) AddItem(ctx context.Context, id domain.CartID, item domain.Item) (int, error) {
	return noted(c, "AddItem", func() (int, error) { return c.carts.AddItem(ctx, id, item) })
}

func (c *calls) SetItem(ctx context.Context, id domain.CartID, item domain.Item) error {
	if err := c.note("SetItem"); err != nil {
		return err
	}
	return c.carts.SetItem(ctx, id, item)
}

func (c *calls) RemoveItem(ctx context.Context, id domain.CartID, product domain.ProductID) error {
	if err := c.note("RemoveItem"); err != nil {
		return err
	}
	return c.carts.RemoveItem(ctx, id, product)
}

func (c *calls) Take(ctx context.Context, id domain.CartID, ordered []domain.Item) error {
	if err := c.note("Take"); err != nil {
		return err
	}
	return c.carts.Take(ctx, id, ordered)
}

func (c *calls) Insert(ctx context.Context, o domain.Order) error {
	if err := c.note("Insert"); err != nil {
		return err
	}
	return c.store.Insert(ctx, o)
}

func (c *calls) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	return noted(c, "Order", func() (domain.Order, error) { return c.store.Order(ctx, id) })
}

// orderCalls notes that the orders contract was called; reading an order is noted by the store below it.
type orderCalls struct{ *calls }

func (o orderCalls) PlaceOrder(ctx context.Context, id domain.CartID) (domain.Order, error) {
	return noted(o.calls, "PlaceOrder", func() (domain.Order, error) { return o.orders.PlaceOrder(ctx, id) })
}
