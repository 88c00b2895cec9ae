package domain

import (
	"context"
	"fmt"
)

// A cart's limits.
const (
	MaxQuantity = 999 // of one product in one cart
	MaxLines    = 100 // products in one cart
)

// Item is how many of a product a cart holds.
type Item struct {
	ProductID ProductID
	Quantity  int // 1..MaxQuantity
}

// Line is an item with its name and price: as they are now in a cart, as they were then in an order.
type Line struct {
	ProductID ProductID
	Name      string
	Quantity  int
	UnitPrice Money
	Total     Money // UnitPrice x Quantity
	Withdrawn bool  // in a cart only: the product is no longer sold and counts for nothing
}

// Cart is a cart with today's prices. Lines are in the order of product ids.
type Cart struct {
	ID    CartID
	Lines []Line
	Total Money // of the lines that are sold
}

// Carts keeps what is in carts. It knows nothing of prices, nor whether a product exists.
type Carts interface {
	// CreateCart makes an empty cart.
	CreateCart(ctx context.Context) (CartID, error)

	// Items returns what is in a cart, in the order of product ids. Errors: NotFound (the cart).
	Items(ctx context.Context, id CartID) ([]Item, error)

	// AddItem adds to a line, or makes it, and returns the line's quantity. Two additions at once both count.
	// Errors: Invalid (quantity not in 1..MaxQuantity), NotFound (the cart), Conflict (LineFull, CartFull).
	AddItem(ctx context.Context, id CartID, item Item) (int, error)

	// SetItem gives a line its quantity, making the line where there is none.
	// Errors: Invalid (quantity not in 1..MaxQuantity), NotFound (the cart), Conflict (CartFull).
	SetItem(ctx context.Context, id CartID, item Item) error

	// RemoveItem removes a line; one that is not there is no error. Errors: NotFound (the cart).
	RemoveItem(ctx context.Context, id CartID, product ProductID) error

	// Take removes from a cart what was ordered: these quantities and no more, so that what was added meanwhile stays.
	// Errors: NotFound (the cart).
	Take(ctx context.Context, id CartID, ordered []Item) error
}

// CheckItem says whether an item may be put in a cart. Invalid.
func CheckItem(item Item) error {
	if item.ProductID < 1 {
		return invalid("product_id", "a product id is a whole number from 1")
	}
	if item.Quantity < 1 || item.Quantity > MaxQuantity {
		return invalid("quantity", "quantity is a whole number from 1 to %d", MaxQuantity)
	}
	return nil
}

// NewLine prices quantity of a product.
func NewLine(p Product, quantity int) (Line, error) {
	total, err := p.Price.Times(quantity)
	if err != nil {
		return Line{}, fmt.Errorf("line of product %d: %w", p.ID, err)
	}
	return Line{ProductID: p.ID, Name: p.Name, Quantity: quantity, UnitPrice: p.Price, Total: total, Withdrawn: p.Withdrawn}, nil
}

// NewCart adds up lines. Withdrawn ones are shown and count for nothing.
func NewCart(id CartID, lines []Line) (Cart, error) {
	total := Cents(0)
	for _, l := range lines {
		if l.Withdrawn {
			continue
		}
		var err error
		if total, err = total.Add(l.Total); err != nil {
			return Cart{}, fmt.Errorf("total of cart: %w", err)
		}
	}
	return Cart{ID: id, Lines: lines, Total: total}, nil
}

// priceCart gives a cart's items their names and prices, with one look-up for all of them.
func priceCart(ctx context.Context, catalog Catalog, id CartID, items []Item) (Cart, error) {
	if len(items) == 0 {
		return NewCart(id, nil)
	}
	ids := make([]ProductID, len(items))
	for i, item := range items {
		ids[i] = item.ProductID
	}
	products, err := catalog.Lookup(ctx, ids)
	if err != nil {
		return Cart{}, fmt.Errorf("prices of cart: %w", err)
	}
	if len(products) != len(items) {
		return Cart{}, Wrap(Internal, fmt.Errorf("catalog answered %d products for %d ids", len(products), len(items)))
	}
	lines := make([]Line, len(items))
	for i, item := range items {
		if products[i].ID != item.ProductID {
			return Cart{}, Wrap(Internal, fmt.Errorf("catalog answered product %d for %d", products[i].ID, item.ProductID))
		}
		if lines[i], err = NewLine(products[i], item.Quantity); err != nil {
			return Cart{}, err
		}
	}
	return NewCart(id, lines)
}
