package domain

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Order is a cart that was checked out, at the prices of that moment.
type Order struct {
	ID       OrderID
	CartID   CartID
	Lines    []Line // in the order of product ids
	Total    Money  // the sum of the lines
	PlacedAt time.Time
}

// Orders takes orders and remembers them.
type Orders interface {
	// PlaceOrder orders everything in a cart at today's prices and takes it out of the cart.
	// Errors: NotFound (the cart), Conflict (CartEmpty, NoLongerSold).
	PlaceOrder(ctx context.Context, cart CartID) (Order, error)

	// Order returns an order as it was placed. Errors: NotFound.
	Order(ctx context.Context, id OrderID) (Order, error)
}

// NewOrder makes an order of a priced cart. Errors: Conflict (CartEmpty, NoLongerSold).
func NewOrder(cart Cart, now time.Time) (Order, error) {
	if len(cart.Lines) == 0 {
		return Order{}, CartEmpty()
	}
	for _, l := range cart.Lines {
		if l.Withdrawn {
			return Order{}, NoLongerSold(l.ProductID)
		}
	}
	return Order{
		ID:       NewOrderID(),
		CartID:   cart.ID,
		Lines:    cart.Lines,
		Total:    cart.Total,
		PlacedAt: now.UTC().Truncate(time.Microsecond), // what Postgres keeps
	}, nil
}

// OrderStore is what Checkout needs of a database.
type OrderStore interface {
	// Insert keeps a new order, all of it or nothing.
	Insert(ctx context.Context, o Order) error

	// Order returns an order as it was placed. Errors: NotFound.
	Order(ctx context.Context, id OrderID) (Order, error)
}

// Checkout is Orders over an order store and the two contracts a checkout needs: three calls, one of them to no service of
// its own. It commits the order and then clears the cart, as such services are usually shipped: if clearing fails, the
// order stands, a log line says so, and the cart still holds what was ordered. Two at once for one cart may both read it, make
// two orders and each take what it ordered; what was added between them can be gone then without having been ordered.
type Checkout struct {
	OrderStore
	Carts   Carts
	Catalog Catalog
	Log     *slog.Logger
}

var _ Orders = Checkout{}

// PlaceOrder is documented at Orders.
func (c Checkout) PlaceOrder(ctx context.Context, id CartID) (Order, error) {
	items, err := c.Carts.Items(ctx, id)
	if err != nil {
		return Order{}, fmt.Errorf("checkout: reading the cart: %w", err)
	}
	cart, err := priceCart(ctx, c.Catalog, id, items)
	if err != nil {
		return Order{}, fmt.Errorf("checkout: %w", err)
	}
	order, err := NewOrder(cart, time.Now())
	if err != nil {
		return Order{}, err
	}
	if err := c.Insert(ctx, order); err != nil {
		return Order{}, fmt.Errorf("checkout: keeping the order: %w", err)
	}
	if err := c.Carts.Take(ctx, id, items); err != nil {
		c.Log.Error("order stands but its cart was not cleared", "order", order.ID.String(), "error", err)
	}
	return order, nil
}
