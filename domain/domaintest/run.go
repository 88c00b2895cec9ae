package domaintest

import (
	"slices"
	"sync"
	"testing"

	"splitshop/domain"
	"splitshop/domain/smoke"
)

// check is one statement about a shop that holds or fails by itself.
type check struct {
	name string
	run  func(*shopper)
}

// group is the checks of one subject.
type group struct {
	name   string
	checks []check
}

// shopGroups lists every check of a shop.
func shopGroups() []group {
	return []group{
		{"smoke", []check{{"shops once", shopsOnce}}}, // alone in its group: no other check changes products meanwhile
		{"products", productChecks()},
		{"pages", pageChecks()},
		{"carts", cartChecks()},
		{"quantities", quantityChecks()},
		{"lines", lineChecks()},
		{"unknown", unknownChecks()},
		{"withdrawn", withdrawnChecks()},
		{"totals", totalChecks()},
		{"names", nameChecks()},
		{"orders", orderChecks()},
		{"ids", idChecks()},
		{"concurrency", concurrencyChecks()},
		{"ended context", endedContextChecks()},
	}
}

// shopsOnce is the part that is run before every measurement.
func shopsOnce(s *shopper) {
	s.shelved(2)
	s.must(smoke.Check(s.Context(), s.Shop), "shopping")
}

// Run checks that f is the shop, through its public interface only. It returns when every check is done. Where groups are named
// it does those only, for a shop so slow that all would take too long.
func Run(t *testing.T, f Fixture, groups ...string) {
	t.Helper()
	for _, name := range groups {
		if !slices.ContainsFunc(shopGroups(), func(g group) bool { return g.name == name }) {
			t.Fatalf("there is no group of checks %q", name)
		}
	}
	shelf := newShelf(f.Admin)
	for _, g := range shopGroups() {
		if len(groups) > 0 && !slices.Contains(groups, g.name) {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			for _, c := range g.checks {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(&shopper{T: t, Fixture: f, shelf: shelf})
				})
			}
		})
	}
}

// shelfSize is how many products the shelf holds: more than fit in a cart.
const shelfSize = domain.MaxLines + 20

// newShelf returns a function that answers products which no check changes, cheap ones, in the order of their ids. The
// first call makes them.
func newShelf(admin Admin) func() ([]domain.ProductID, error) {
	return sync.OnceValues(func() ([]domain.ProductID, error) {
		ids := make([]domain.ProductID, shelfSize)
		for i := range ids {
			id, err := admin.AddProduct(backstage, "on the shelf", domain.Cents(100+int64(i)))
			if err != nil {
				return nil, err
			}
			ids[i] = id
		}
		return ids, nil
	})
}
