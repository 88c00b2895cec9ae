package sql_test

import (
	"log/slog"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/sql"
	"splitshop/sql/sqltest"
)

const conns = 10 // of each pool of a shop under test

// shops are the ways to have a shop on a database.
var shops = []struct {
	name string
	make func(*sqltest.DB) domain.Shop
}{
	{"monolith", newMonolith},
	{"composed", newComposed},
}

func newMonolith(db *sqltest.DB) domain.Shop { return sql.NewShop(db.Pool(sql.RoleMonolith, conns)) }

func newComposed(db *sqltest.DB) domain.Shop { return newContracts(db) }

// newContracts puts the three stores together, each with a role and a pool of its own, as the services have them.
func newContracts(db *sqltest.DB) domain.Composed {
	catalog := sql.NewCatalog(db.Pool(sql.RoleCatalog, conns))
	carts := sql.NewCarts(db.Pool(sql.RoleCart, conns))
	return domain.Composed{
		Catalog: catalog,
		Carts:   carts,
		Orders: domain.Checkout{
			OrderStore: sql.NewOrders(db.Pool(sql.RoleOrders, conns)),
			Carts:      carts,
			Catalog:    catalog,
			Log:        slog.New(slog.DiscardHandler),
		},
	}
}

func TestConformance(t *testing.T) {
	for _, s := range shops {
		t.Run("shop="+s.name, func(t *testing.T) {
			t.Parallel()
			db := sqltest.New(t)
			domaintest.Run(t, domaintest.Fixture{Shop: s.make(db), Admin: db.Admin()})
		})
	}
}

func TestContracts(t *testing.T) {
	t.Parallel()
	db := sqltest.New(t)
	c := newContracts(db)
	domaintest.RunContracts(t, domaintest.ContractFixture{Catalog: c.Catalog, Carts: c.Carts, Orders: c.Orders, Admin: db.Admin()})
}
