// Package domaintest holds the conformance suite of the shop and an in-memory shop that passes it.
//
// The suite says what a domain.Shop does, check by check; every implementation, transport and topology runs this same one.
// It knows no database, no transport and no topology.
package domaintest

import (
	"context"

	"splitshop/domain"
)

// Fixture is a shop under test and the back door that some checks need. Checks run in parallel against one fixture: each
// makes its own carts and products and assumes nothing of what else the shop holds.
type Fixture struct {
	Shop  domain.Shop
	Admin Admin
}

// Admin changes the catalogue behind the shop's back, as its owner would; no public route does.
type Admin interface {
	// AddProduct adds a product, with an id above all others, and returns that id.
	AddProduct(ctx context.Context, name string, price domain.Money) (domain.ProductID, error)

	// SetPrice changes a price from now on.
	SetPrice(ctx context.Context, id domain.ProductID, price domain.Money) error

	// Withdraw stops selling a product.
	Withdraw(ctx context.Context, id domain.ProductID) error
}

// ContractFixture is the three contracts the services offer each other, under test, over the same data.
type ContractFixture struct {
	Catalog domain.Catalog
	Carts   domain.Carts
	Orders  domain.Orders
	Admin   Admin
}
