package domain

import (
	"context"
	"unicode/utf8"
)

// The catalogue's limits.
const (
	DefaultPage   = 20            // products on a page where the request does not say
	MaxPage       = 100           // products on a page
	MaxNameLength = 200           // code points
	MaxPrice      = 1_000_000_000 // minor units, so that MaxLines x MaxQuantity x MaxPrice stays exact even in a JSON reader's float64
)

// Product is something the shop sells, or sold.
type Product struct {
	ID        ProductID
	Name      string // 1 to MaxNameLength code points of UTF-8, no NUL
	Price     Money
	Withdrawn bool // no longer sold; it stays known, for the carts and orders that name it
}

// Page is one page of the catalogue, in the order of product ids.
type Page struct {
	Products []Product
	Next     ProductID // continue after this one; 0 where this is the last page
}

// Catalog knows the products and their prices. Nobody else's price counts.
type Catalog interface {
	// Products returns the products sold with ids above after (0: from the start), at most limit of them. Products
	// added or withdrawn between two pages neither repeat nor hide another.
	// Errors: Invalid (limit not in 1..MaxPage, after negative).
	Products(ctx context.Context, after ProductID, limit int) (Page, error)

	// Product returns one product that is sold. Errors: NotFound (unknown or withdrawn).
	Product(ctx context.Context, id ProductID) (Product, error)

	// Lookup returns the products with these ids in one call, in the order of ids, withdrawn ones included.
	// Errors: Invalid (more than MaxLines ids), NotFound (one of them never existed).
	Lookup(ctx context.Context, ids []ProductID) ([]Product, error)
}

// CheckPage says whether a page may be asked for. Invalid.
func CheckPage(after ProductID, limit int) error {
	if limit < 1 || limit > MaxPage {
		return invalid("limit", "limit is a whole number from 1 to %d", MaxPage)
	}
	if after < 0 {
		return invalid("after", "after is not a cursor of this shop")
	}
	return nil
}

// CheckLookup says whether so many products may be looked up at once. Invalid.
func CheckLookup(ids []ProductID) error {
	if len(ids) > MaxLines {
		return invalid("product_id", "at most %d products are looked up at once", MaxLines)
	}
	return nil
}

// CheckProduct says whether a product may enter the catalogue. Invalid.
func CheckProduct(p Product) error {
	n := utf8.RuneCountInString(p.Name)
	switch {
	case !utf8.ValidString(p.Name) || n < 1 || n > MaxNameLength:
		return invalid("name", "a name is 1 to %d code points of UTF-8", MaxNameLength)
	case containsNUL(p.Name):
		return invalid("name", "a name holds no NUL character")
	case p.Price.Amount < 1 || p.Price.Amount > MaxPrice || p.Price.Currency != Currency:
		return invalid("price", "a price is 1 to %d minor units of %s", int64(MaxPrice), Currency)
	}
	return nil
}

func containsNUL(s string) bool {
	for i := range len(s) {
		if s[i] == 0 {
			return true
		}
	}
	return false
}
