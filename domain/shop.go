package domain

import (
	"context"
	"fmt"
)

// Shop is what the public API offers, whatever it is built from.
type Shop interface {
	// Products is Catalog.Products.
	Products(ctx context.Context, after ProductID, limit int) (Page, error)

	// Product is Catalog.Product.
	Product(ctx context.Context, id ProductID) (Product, error)

	// CreateCart is Carts.CreateCart.
	CreateCart(ctx context.Context) (CartID, error)

	// Cart returns a cart with today's prices. Errors: NotFound.
	Cart(ctx context.Context, id CartID) (Cart, error)

	// AddItem adds quantity of a product to a cart and returns the line as it now is. Where both product and cart are
	// unknown, the product is named. Errors: Invalid (CheckItem), NotFound, Conflict (LineFull, CartFull).
	AddItem(ctx context.Context, cart CartID, item Item) (Line, error)

	// SetItem gives a line its quantity and returns the line. Errors: as AddItem, but no LineFull.
	SetItem(ctx context.Context, cart CartID, item Item) (Line, error)

	// RemoveItem is Carts.RemoveItem.
	RemoveItem(ctx context.Context, cart CartID, product ProductID) error

	// PlaceOrder is Orders.PlaceOrder.
	PlaceOrder(ctx context.Context, cart CartID) (Order, error)

	// Order is Orders.Order.
	Order(ctx context.Context, id OrderID) (Order, error)
}

// Composed is a Shop over the three contracts. Calls it makes: a page of products 1, a cart 2, adding an item 2, an order 1
// (and the orders service three more).
type Composed struct {
	Catalog
	Carts Carts
	Orders
}

var _ Shop = Composed{}

// CreateCart is documented at Carts.
func (s Composed) CreateCart(ctx context.Context) (CartID, error) { return s.Carts.CreateCart(ctx) }

// Cart is documented at Shop.
func (s Composed) Cart(ctx context.Context, id CartID) (Cart, error) {
	items, err := s.Carts.Items(ctx, id)
	if err != nil {
		return Cart{}, err
	}
	return priceCart(ctx, s.Catalog, id, items)
}

// AddItem is documented at Shop.
func (s Composed) AddItem(ctx context.Context, cart CartID, item Item) (Line, error) {
	p, err := s.forSale(ctx, item)
	if err != nil {
		return Line{}, err
	}
	quantity, err := s.Carts.AddItem(ctx, cart, item)
	if err != nil {
		return Line{}, fmt.Errorf("adding product %d: %w", item.ProductID, err)
	}
	return NewLine(p, quantity)
}

// SetItem is documented at Shop.
func (s Composed) SetItem(ctx context.Context, cart CartID, item Item) (Line, error) {
	p, err := s.forSale(ctx, item)
	if err != nil {
		return Line{}, err
	}
	if err := s.Carts.SetItem(ctx, cart, item); err != nil {
		return Line{}, fmt.Errorf("setting product %d: %w", item.ProductID, err)
	}
	return NewLine(p, item.Quantity)
}

// RemoveItem is documented at Carts.
func (s Composed) RemoveItem(ctx context.Context, cart CartID, product ProductID) error {
	return s.Carts.RemoveItem(ctx, cart, product)
}

// forSale checks an item and finds its product.
func (s Composed) forSale(ctx context.Context, item Item) (Product, error) {
	if err := CheckItem(item); err != nil {
		return Product{}, err
	}
	return s.Product(ctx, item.ProductID)
}
